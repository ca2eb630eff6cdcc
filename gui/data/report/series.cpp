#include "gui/data/report/series.h"

#include "gui/data/report/mapped_file.h"

namespace servecast::gui {

std::vector<PoolSeries> read_series(const std::string& file) {
  PoolSeries all;
  Words pool;
  CsvColumns csv("series.csv");
  csv.number("time_s", all.time_s);
  csv.words("pool", pool);
  for (std::size_t i = 0; i < amount_names.size(); ++i) {
    const bool always = static_cast<Amount>(i) != Amount::rented_gpus;
    csv.number(std::string(amount_names[i]), all.amount[i],
               always ? CsvColumns::Need::required : CsvColumns::Need::optional);
  }
  csv.read(MappedFile(file));

  std::vector<PoolSeries> pools(pool.names.size());
  for (std::size_t i = 0; i < pools.size(); ++i) pools[i].pool = pool.names[i];
  for (std::size_t row = 0; row < all.time_s.size(); ++row) {
    PoolSeries& one = pools[pool.code[row]];
    one.time_s.push_back(all.time_s[row]);
    for (std::size_t i = 0; i < amount_names.size(); ++i)
      if (!all.amount[i].empty()) one.amount[i].push_back(all.amount[i][row]);
  }
  return pools;
}

}  // namespace servecast::gui
