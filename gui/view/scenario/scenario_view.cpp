#include "gui/view/scenario/scenario_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "gui/data/runs/program.h"
#include "gui/data/words/tip.h"
#include "gui/view/parts/parts.h"
#include "gui/view/parts/theme.h"
#include "gui/view/scenario/setting_delegate.h"
#include "gui/view/scenario/yaml_editor.h"

namespace servecast::gui {
namespace {

constexpr std::size_t most_problems = 8;  // shown; the text keeps room
enum FormPage { tree_page, obstacle_page };

/// "12:5" as a link, and what is wrong there.
QString problem_line(const Problem& problem) {
  const QString message = QString::fromStdString(problem.message).toHtmlEscaped().replace('\n', "<br>");
  if (problem.place.line <= 0) {
    const QString place = QString::fromStdString(problem.place.file).section('/', -1).toHtmlEscaped();
    return place.isEmpty() ? message : place + ": " + message;
  }
  const QString place = QString("%1:%2").arg(problem.place.line).arg(problem.place.column);
  return QString("<a href='%1'>%1</a>&nbsp; ").arg(place) + message;
}

}  // namespace

ScenarioView::ScenarioView(ScenarioDocument& document, QWidget* parent) : QWidget(parent), document_(document) {
  file_ = wrapped_label("heading");
  file_->setText(tr("Open a scenario, or start from an example."));
  buttons_ = new QHBoxLayout;
  buttons_->addWidget(file_, 1);
  help_ = wrapped_label("muted");
  help_->setTextFormat(Qt::RichText);
  help_->setMinimumHeight(fontMetrics().height() * 4);
  help_->setAlignment(Qt::AlignTop);
  problems_ = wrapped_label("notice");
  problems_->setTextFormat(Qt::RichText);
  problems_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse |
                                     Qt::LinksAccessibleByKeyboard);
  problems_->hide();
  yaml_ = new YamlEditor;

  make_form();
  auto* splitter = new QSplitter;
  splitter->addWidget(column_of({form_, help_}, form_));
  splitter->addWidget(column_of({yaml_, problems_}, yaml_));
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(10);
  column->addLayout(buttons_);
  column->addWidget(splitter, 1);
  connect(&document_, &ScenarioDocument::changed, this, &ScenarioView::show_document);
  connect(yaml_, &YamlEditor::typed, &document_, &ScenarioDocument::set_text);
  connect(yaml_, &YamlEditor::undo_wanted, &document_, &ScenarioDocument::undo);
  connect(yaml_, &YamlEditor::redo_wanted, &document_, &ScenarioDocument::redo);
  connect(problems_, &QLabel::linkActivated, this, [this](const QString& place) {
    yaml_->go_to(place.section(':', 0, 0).toInt(), place.section(':', 1).toInt());
  });
  show_form();
}

void ScenarioView::make_form() {
  tree_ = new QTreeView;
  tree_->setItemDelegate(new SettingDelegate(tree_));
  tree_->setAlternatingRowColors(true);
  tree_->setUniformRowHeights(true);
  tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                         QAbstractItemView::SelectedClicked);
  obstacle_ = wrapped_label("muted");
  obstacle_->setAlignment(Qt::AlignCenter);
  form_ = new QStackedWidget;
  form_->insertWidget(tree_page, tree_);
  form_->insertWidget(obstacle_page, obstacle_);
}

void ScenarioView::commit() { yaml_->commit(); }

void ScenarioView::set_buttons(const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    if (action->menu() != nullptr) button->setPopupMode(QToolButton::InstantPopup);
    button->setObjectName(action == actions.back() ? "primary" : "plain");
    buttons_->addWidget(button);
  }
}

void ScenarioView::make_model() {
  plugins_ = document_.plugins();
  QStringList question{"schema", "--format", "json"};
  for (const QString& plugin : plugins_) question << "--plugin" << plugin;
  auto schema = std::make_unique<Schema>(ask_servecast(question).out.toStdString());
  auto model = std::make_unique<ScenarioModel>(*schema, document_);
  tree_->setModel(model.get());
  model_ = std::move(model);  // an earlier one, which knew other plug-ins, goes before its schema
  schema_ = std::move(schema);
  tree_->header()->setSectionResizeMode(ScenarioModel::value_column, QHeaderView::Stretch);
  tree_->header()->setStretchLastSection(false);
  tree_->setColumnWidth(ScenarioModel::title_column, 290);
  tree_->setColumnWidth(ScenarioModel::unit_column, 110);
  connect(tree_, &QTreeView::expanded, this, [this](const QModelIndex& i) { open_ << model_->node(i).path; });
  connect(tree_, &QTreeView::collapsed, this, [this](const QModelIndex& i) { open_.remove(model_->node(i).path); });
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, &ScenarioView::show_setting);
  connect(model_.get(), &ScenarioModel::rowsInserted, this, &ScenarioView::unfold);
  connect(&document_, &ScenarioDocument::changed, this, &ScenarioView::show_setting);  // the model has followed
  open_ = {"workload",         "workload.trace", "slo", "cluster", "pools", "pools[0]",
           "pools[0].batcher", "pools[0].router"};
  unfold({}, 0, model_->rowCount() - 1);
}

/// What is new is unfolded if it was when it was last there.
void ScenarioView::unfold(const QModelIndex& parent, int first, int last) {
  for (int row = first; row <= last; ++row) {
    const QModelIndex index = model_->index(row, 0, parent);
    if (open_.contains(model_->node(index).path)) tree_->expand(index);
    unfold(index, 0, model_->rowCount(index) - 1);
  }
}

void ScenarioView::show_document() {
  if (!document_.settings().empty() && (!model_ || plugins_ != document_.plugins())) make_model();
  const QString star = document_.edited() ? "  •" : "";
  const QString name = document_.file().section('/', -1);
  file_->setText((document_.needs_a_name() ? tr("%1 (unsaved copy)").arg(name) : name) + star);
  file_->setToolTip(as_tip(document_.file()));
  QString text = document_.text();
  yaml_->show_text(text.replace("\r\n", "\n"));
  if (document_.file() != shown_file_) yaml_->moveCursor(QTextCursor::Start);
  shown_file_ = document_.file();
  show_problems();
  show_form();
  show_setting();
}

void ScenarioView::show_problems() {
  const std::vector<Problem>& problems = document_.problems();
  QStringList lines;
  std::vector<int> wrong;
  for (const Problem& problem : problems) {
    if (lines.size() < static_cast<qsizetype>(most_problems)) lines << problem_line(problem);
    if (document_.text_is_wrong()) wrong.push_back(problem.place.line);
  }
  if (problems.size() > most_problems) lines << tr("… and %1 more").arg(problems.size() - most_problems);
  problems_->setText(lines.join("<br>"));
  problems_->setVisible(!problems.empty());
  yaml_->mark_lines(wrong);
}

/// The settings, or why there are none to be seen.
void ScenarioView::show_form() {
  const bool there_are = !document_.settings().empty();
  form_->setCurrentIndex(there_are ? tree_page : obstacle_page);
  help_->setVisible(there_are);
  tree_->setEnabled(!document_.text_is_wrong());  // a setting could only be shown as it once was
  yaml_->setReadOnly(document_.file().isEmpty());
  if (document_.file().isEmpty())
    obstacle_->setText(tr("Open a scenario, or start from an example."));
  else if (!document_.problems().empty())
    obstacle_->setText(
        tr("The settings appear here when the text beside has no mistakes.\n"
           "They are listed below it; a click on one goes to its line."));
  else
    obstacle_->setText(tr("This is no scenario: it has no settings to show."));
}

void ScenarioView::show_setting() {
  if (!model_ || !tree_->currentIndex().isValid()) {
    help_->setText(
        tr("Choose a setting to read what it means; double-click or F2 to change it. Bold: not the default."));
    return;
  }
  const SettingNode& setting = model_->node(tree_->currentIndex());
  QString text = QString("<b>%1</b>").arg(setting.path.toHtmlEscaped());
  if (setting.about != nullptr) {
    const SchemaEntry& about = *setting.about;
    text += "<br>" + QString::fromStdString(about.help).toHtmlEscaped();
    QStringList facts{QString::fromStdString(about.type)};
    if (!about.unit.empty()) facts << QString::fromStdString(about.unit);
    if (!about.default_text.empty()) facts << tr("default %1").arg(QString::fromStdString(about.default_text));
    if (about.required) facts << tr("required");
    if (!about.range_text().empty()) facts << QString::fromStdString(about.range_text());
    text += "<br>" + facts.join(" · ").toHtmlEscaped();
    for (const auto& [name, help] : about.alternatives)
      if (setting.value != nullptr && *setting.value == name)
        text += "<br>" + QString::fromStdString(name + ": " + help).toHtmlEscaped();
  }
  if (!setting.problem.isEmpty())
    text += QString("<br><span style='color:%1'>%2</span>")
                .arg(theme_of(palette()).bad.name(), setting.problem.toHtmlEscaped());
  help_->setText(text);
}

void ScenarioView::go_to(const QString& path) {
  if (!model_) return;
  const QModelIndex index = model_->index_of(path).siblingAtColumn(ScenarioModel::value_column);
  tree_->setCurrentIndex(index);
  tree_->scrollTo(index);
}

}  // namespace servecast::gui
