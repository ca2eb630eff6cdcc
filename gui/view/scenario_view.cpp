#include "gui/view/scenario_view.h"

#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "gui/data/program.h"
#include "gui/view/parts.h"
#include "gui/view/setting_delegate.h"
#include "gui/view/theme.h"
#include "gui/view/yaml_highlighter.h"

namespace servecast::gui {
ScenarioView::ScenarioView(ScenarioDocument& document, QWidget* parent) : QWidget(parent), document_(document) {
  file_ = wrapped_label("heading");
  file_->setText(tr("Open a scenario, or start from an example."));
  buttons_ = new QHBoxLayout;
  buttons_->addWidget(file_, 1);
  tree_ = new QTreeView;
  tree_->setItemDelegate(new SettingDelegate(tree_));
  tree_->setAlternatingRowColors(true);
  tree_->setUniformRowHeights(true);
  tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                         QAbstractItemView::SelectedClicked);
  help_ = wrapped_label("muted");
  help_->setMinimumHeight(fontMetrics().height() * 4);
  help_->setAlignment(Qt::AlignTop);
  problems_ = wrapped_label("notice");
  problems_->hide();
  yaml_ = new QPlainTextEdit;
  yaml_->setReadOnly(true);
  yaml_->setLineWrapMode(QPlainTextEdit::NoWrap);
  yaml_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  highlighter_ = new YamlHighlighter(yaml_->document());

  auto* splitter = new QSplitter;
  splitter->addWidget(column_of({tree_, help_}, tree_));
  splitter->addWidget(column_of({yaml_, problems_}, yaml_));
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(10);
  column->addLayout(buttons_);
  column->addWidget(splitter, 1);
  connect(&document_, &ScenarioDocument::changed, this, &ScenarioView::show_document);
}

void ScenarioView::set_buttons(const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    if (action->menu() != nullptr) button->setPopupMode(QToolButton::InstantPopup);
    if (action == actions.back()) button->setObjectName("primary");
    buttons_->addWidget(button);
  }
}

void ScenarioView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) highlighter_->rehighlight();
  QWidget::changeEvent(event);
}

void ScenarioView::make_model() {
  schema_ = std::make_unique<Schema>(ask_servecast({"schema", "--format", "json"}).out.toStdString());
  model_ = std::make_unique<ScenarioModel>(*schema_, document_);
  connect(model_.get(), &ScenarioModel::modelAboutToBeReset, this, &ScenarioView::keep_open);
  connect(model_.get(), &ScenarioModel::modelReset, this, &ScenarioView::open_again);
  tree_->setModel(model_.get());
  tree_->header()->setSectionResizeMode(ScenarioModel::value_column, QHeaderView::Stretch);
  tree_->header()->setStretchLastSection(false);
  tree_->setColumnWidth(ScenarioModel::title_column, 290);
  tree_->setColumnWidth(ScenarioModel::unit_column, 110);
  connect(tree_, &QTreeView::expanded, this, [this](const QModelIndex& i) { open_ << model_->node(i).path; });
  connect(tree_, &QTreeView::collapsed, this, [this](const QModelIndex& i) { open_.remove(model_->node(i).path); });
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, &ScenarioView::show_setting);
  open_ = {"workload",         "workload.trace", "slo", "cluster", "pools", "pools[0]",
           "pools[0].batcher", "pools[0].router"};
  open_again();
}

void ScenarioView::keep_open() { current_ = model_->node(tree_->currentIndex()).path; }

void ScenarioView::open_again() {
  for (const QString& path : QSet(open_)) tree_->expand(model_->index_of(path));
  if (!current_.isEmpty())
    tree_->setCurrentIndex(model_->index_of(current_).siblingAtColumn(ScenarioModel::value_column));
}

void ScenarioView::show_document() {
  if (!model_ && document_.problems().empty()) make_model();
  const QString star = document_.edited() ? "  •" : "";
  file_->setText(document_.file().section('/', -1) + star);
  file_->setToolTip(document_.file());
  if (yaml_->toPlainText() != document_.text()) yaml_->setPlainText(document_.text());
  const std::vector<Problem>& problems = document_.problems();
  problems_->setVisible(!problems.empty());
  problems_->setText(problems_text());
  highlighter_->set_wrong_line(problems.empty() || document_.edited() ? 0 : problems.front().place.line);
  show_setting();
}

QString ScenarioView::problems_text() const {
  QStringList lines;
  for (const Problem& problem : document_.problems()) {
    Problem short_one = problem;
    short_one.place.file = QString::fromStdString(problem.place.file).section('/', -1).toStdString();
    lines << QString::fromStdString(to_string(short_one));
  }
  return lines.join('\n');
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
