#pragma once
#include <string>

#include "models/base/error.h"

namespace servecast {

/// What a call tells its user that is wrong; empty where nothing is.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace servecast
