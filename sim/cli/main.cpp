#include "sim/cli/cli.h"
#include "sim/cli/program/console.h"

int main(int argc, char** argv) {
  servecast::Console console = servecast::standard_console();
  return servecast::run_cli({argv + 1, argv + argc}, console);
}
