#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "models/base/registry.h"
#include "sim/input/yaml/schema.h"
#include "tests/matrix/draw/draw.h"

namespace servecast::matrix {

/// Whether a policy of this kind can be drawn: one that needs a file, or anything else that only a person can
/// say, needs a row in values.cpp.
bool can_be_drawn(const std::string& kind, const std::string& policy, const std::vector<Setting>& schema);

/// What the table of values.cpp has for the policy, all else that must be given, and now and then a switch that the
/// table does not name.
Tree draw_settings(Draw draw, const std::string& kind, const std::string& policy, const std::vector<Setting>& schema);

template <class Interface>
std::vector<Setting> schema_of(const std::string& policy) {
  SchemaFields fields;
  Registry<Interface>::all().at(policy).prepare()->fields(fields);
  return fields.settings();
}

template <class Interface>
using Fits = std::function<bool(Interface&)>;

/// All registered policies that can be drawn and, as they are without settings, fit where one is wanted.
template <class Interface>
std::vector<std::string> drawable(const Fits<Interface>& fits = {}) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : Registry<Interface>::all())
    if (can_be_drawn(std::string(Interface::kind), name, schema_of<Interface>(name)) &&
        (!fits || fits(*entry.prepare()->make())))
      names.push_back(name);
  return names;
}

/// One of them: {policy: name, its settings}. Whatever is registered is drawn, without an edit here.
template <class Interface>
Tree draw_policy(Draw draw, const Fits<Interface>& fits = {}) {
  const std::string name = draw.pick(drawable<Interface>(fits));
  Tree tree{{"policy", name}};
  tree.update(draw_settings(draw.at(name), std::string(Interface::kind), name, schema_of<Interface>(name)));
  return tree;
}

/// The attributes of a drawn policy; those that settings change are not in question here.
template <class Interface>
auto made(const Tree& tree) {
  return Registry<Interface>::all().at(tree.at("policy")).prepare()->make();
}

}  // namespace servecast::matrix
