#pragma once
#include <string>
#include <string_view>

namespace servecast {

// Names come from files and command lines and may hold anything. Code that writes one into another language writes it
// as a text of that language, with the function for it here: then it is shown, and never obeyed.

/// One line for a terminal, and for a comment that ends with its line: what a terminal would obey instead of showing
/// it stands as "\x1b" or "\u2028". That is C0, DEL and C1, line separators, marks that turn the direction of
/// writing, and bytes that are no UTF-8.
std::string visible(std::string_view text);

/// "# text\n": a comment of a shell and of YAML.
std::string comment_line(std::string_view text);

/// The word as a POSIX shell reads it back.
std::string shell_word(std::string_view word);

/// A text of YAML in double quotes, on one line.
std::string yaml_text(std::string_view text);

/// A JSON text in which DEL, C1 and the like are escaped as well, so that a terminal may show it. Says the same.
std::string visible_json(std::string_view json);

/// A text as a cell of a CSV file: in quotes where it needs them (RFC 4180). What a spreadsheet would take for a
/// formula gets an apostrophe before it, as OWASP advises; numbers do not.
std::string csv_cell(std::string_view text);

/// Whether csv_cell() would leave the text as it is.
bool is_plain_csv(std::string_view text);

/// What csv_cell() was given, from the cell without its quotes.
std::string_view csv_text(std::string_view cell);

}  // namespace servecast
