#include "gui/data/report/mapped_file.h"

#include "models/base/error.h"

namespace servecast::gui {

MappedFile::MappedFile(std::string name)
    : name_(std::move(name)), file_(std::make_unique<QFile>(QString::fromStdString(name_))) {
  if (!file_->open(QIODevice::ReadOnly)) throw UserError({name_}, file_->errorString().toStdString());
  if (file_->size() == 0) throw UserError({name_}, "the file is empty");
  const uchar* bytes = file_->map(0, file_->size());
  if (bytes == nullptr) throw UserError({name_}, file_->errorString().toStdString());
  text_ = {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(file_->size())};
}

}  // namespace servecast::gui
