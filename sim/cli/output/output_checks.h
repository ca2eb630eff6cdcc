#pragma once
#include <string>
#include <vector>

namespace servecast {

/// Before the work: throws UserError where what `option` writes, `file`, is one of the files read.
void refuse_to_replace_input(const std::string& option, const std::string& file,
                             const std::vector<std::string>& read);

/// Throws UserError where `file` lies in the folder of --out, which would be replaced with all that is in it.
void refuse_in_report(const std::string& option, const std::string& file, const std::string& out);

}  // namespace servecast
