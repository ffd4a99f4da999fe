#include "cli/eval.h"
#include "cli/models.h"
#include "cli/show.h"
#include "cli/train.h"
#include "cli/verb.h"

namespace lockstep::cli {

const std::vector<Verb>& all_verbs() {
  static const std::vector<Verb> list{
      {"train", "train a model as a config file says", declare_train},
      {"eval", "evaluate trained weights on the test data", declare_eval},
      {"show", "print what a config compiles to: graph, bundle, plan or memory", declare_show},
      {"models", "list the models with their short names", declare_models},
  };
  return list;
}

}  // namespace lockstep::cli
