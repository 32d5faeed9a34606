// The module of the package: each file of this folder binds what it is named after.
#include "plugins/python/bind.hpp"

NB_MODULE(_qturn, module) {
  module.doc() = "The eight orientations of an image: what the package qturn is made of.";
  module.attr("__version__") = QTURN_VERSION;
  qturn::python::bind_orientations(module);
  qturn::python::bind_pictures(module);
  qturn::python::bind_decode(module);
  qturn::python::bind_samples(module);
  qturn::python::bind_following(module);
  qturn::python::bind_transform(module);
  qturn::python::bind_planar(module);
}
