;; SPDX-License-Identifier: LGPL-2.1-or-later
;; Sorts lists, profiled by gcl's own gprof commands.
(si::gprof-start)
(dotimes (i 8)
  (let ((l nil))
    (dotimes (j 20000) (push (random 1000000) l))
    (sort l (function <))))
(si::gprof-quit)
