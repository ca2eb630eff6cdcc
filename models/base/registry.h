#pragma once
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

/// A policy whose settings are known and of which any number of instances can be made.
template <class Interface>
class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual std::unique_ptr<Interface> make() const = 0;
  virtual std::unique_ptr<Prepared> clone() const = 0;
  virtual void fields(Fields& f) = 0;
};

/// How `servecast list` calls a kind of policy, and says what it decides.
struct PolicyListing {
  std::string_view name;  // in the plural
  std::string_view help;
};

/// Shown every policy of a kind: its name, one line on it, and its settings.
using PolicyVisitor = std::function<void(const std::string& name, const std::string& help,
                                         const std::function<void(Fields&)>& settings)>;

/// All kinds of policies, by the names of their listings. A kind is here as soon as a policy of it is registered.
struct PolicyKind {
  std::string_view kind;  // as messages call it
  PolicyListing listing;
  void (*visit)(const PolicyVisitor& visitor);

  static std::map<std::string_view, PolicyKind>& all() {
    static std::map<std::string_view, PolicyKind> kinds;
    return kinds;
  }
};

/// That a policy was registered. Names live as long as the registries.
struct Registration {
  std::string_view kind;
  std::string_view name;
  bool taken = false;  // by another policy of this kind: the one that came later is left out
};

/// All registrations, of every kind, in their order: what a library has brought stands at the end once it is loaded.
inline std::vector<Registration>& registrations() {
  static std::vector<Registration> all;
  return all;
}

/// Named implementations of one policy interface. Filled before main() by the policy files, and by the files of a
/// plug-in when it is loaded.
template <class Interface>
class Registry {
 public:
  struct Entry {
    std::string help;                                   // one line, shown by `servecast list`
    std::unique_ptr<Prepared<Interface>> (*prepare)();  // with default settings
  };

  template <class Policy>
  requires std::derived_from<Policy, Interface> && HasFields<typename Policy::Settings>
  static bool add(const std::string& name, const std::string& help) {
    struct PreparedPolicy final : Prepared<Interface> {
      typename Policy::Settings settings;
      std::unique_ptr<Interface> make() const override { return std::make_unique<Policy>(settings); }
      std::unique_ptr<Prepared<Interface>> clone() const override { return std::make_unique<PreparedPolicy>(*this); }
      void fields(Fields& f) override { settings.fields(f); }
    };
    auto prepare = []() -> std::unique_ptr<Prepared<Interface>> { return std::make_unique<PreparedPolicy>(); };
    const auto [entry, fresh] = entries().emplace(name, Entry{help, prepare});
    registrations().push_back({Interface::kind, entry->first, !fresh});
    PolicyKind::all().emplace(Interface::listing.name, PolicyKind{Interface::kind, Interface::listing, visit});
    return fresh;
  }

  static const std::map<std::string, Entry>& all() { return entries(); }

  static std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& [name, entry] : entries()) out.push_back(name);
    return out;
  }

 private:
  static void visit(const PolicyVisitor& visitor) {
    for (const auto& [name, entry] : entries()) {
      const auto prepared = entry.prepare();
      visitor(name, entry.help, [&](Fields& f) { prepared->fields(f); });
    }
  }
  static std::map<std::string, Entry>& entries() {
    static std::map<std::string, Entry> map;  // sorted, so listings never depend on link order
    return map;
  }
};

/// The setting "which policy, and how": `{policy: name, ...that policy's own settings}`.
template <class Interface>
class Choice {
 public:
  explicit Choice(std::string policy) : policy_(std::move(policy)) {}
  Choice() = default;  // one that must be given
  Choice(const Choice& other)
      : policy_(other.policy_), prepared_(other.prepared_ ? other.prepared_->clone() : nullptr) {}
  Choice(Choice&&) noexcept = default;
  Choice& operator=(Choice other) noexcept {
    std::swap(policy_, other.policy_);
    std::swap(prepared_, other.prepared_);
    return *this;
  }
  ~Choice() = default;

  const std::string& policy() const { return policy_; }
  /// Another instance with these settings.
  std::unique_ptr<Interface> make() const {
    return prepared_ ? prepared_->make() : Registry<Interface>::all().at(policy_).prepare()->make();
  }

  void fields(Fields& f) {
    const std::string before = policy_;
    if (before.empty())
      f.required("policy", policy_, Interface::kind, Registry<Interface>::names());
    else
      f.field("policy", policy_, Interface::kind, Registry<Interface>::names());
    if (f.describes()) {
      for (const auto& [name, entry] : Registry<Interface>::all()) {
        f.enter_variant(name, entry.help);
        entry.prepare()->fields(f);
        f.leave_variant();
      }
      return;
    }
    if (policy_.empty()) return;
    if (!prepared_ || policy_ != before) prepared_ = Registry<Interface>::all().at(policy_).prepare();
    prepared_->fields(f);
  }

 private:
  std::string policy_;
  std::unique_ptr<Prepared<Interface>> prepared_;
};

}  // namespace servecast
