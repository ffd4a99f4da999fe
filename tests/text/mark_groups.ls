// Chains that a target may run as one loop over memory.

// case: batch norm, add and relu with the shortcut on the other side
graph "g" stage=trained {
  stream %0 "x" : f32[4,2]
  stream %1 "scale" : f32[2]
  stream %2 "shift" : f32[2]
  stream %3 "shortcut" : f32[4,2]
  %4, %5, %6 = batch_norm{eps=1e-05}(%0, %1, %2) : f32[4,2], f32[2], f32[2] @"bn" #forward
  %7 = add(%4, %3) : f32[4,2] #forward
  %8 = relu(%7) : f32[4,2] #forward
  output "y" = %8
  output "mean" = %5
}
// ---
graph "g" stage=grouped {
  stream %0 "x" : f32[4,2]
  stream %1 "scale" : f32[2]
  stream %2 "shift" : f32[2]
  stream %3 "shortcut" : f32[4,2]
  %4, %5, %6 = batch_norm{eps=1e-05}(%0, %1, %2) : f32[4,2], f32[2], f32[2] @"bn" #forward #group=0
  %7 = add(%4, %3) : f32[4,2] #forward #group=0
  %8 = relu(%7) : f32[4,2] #forward #group=0
  output "y" = %8
  output "mean" = %5
}

// case: two groups; an add of two shapes is none of them
graph "g" stage=trained {
  stream %0 "x" : f32[4,2]
  stream %1 "scale" : f32[2]
  stream %2 "shift" : f32[2]
  %3, %4, %5 = batch_norm{eps=1e-05}(%0, %1, %2) : f32[4,2], f32[2], f32[2] @"bn1" #forward
  %6 = relu(%3) : f32[4,2] #forward
  %7 = batch_norm_inference{eps=1e-05}(%6, %1, %2, %4, %5) : f32[4,2] @"bn2" #forward
  %8 = relu(%7) : f32[4,2] #forward
  %9 = batch_norm_inference{eps=1e-05}(%8, %1, %2, %4, %5) : f32[4,2] @"bn3" #forward
  %10 = add(%9, %1) : f32[4,2] #forward
  %11 = relu(%10) : f32[4,2] #forward
  output "y" = %11
}
// ---
graph "g" stage=grouped {
  stream %0 "x" : f32[4,2]
  stream %1 "scale" : f32[2]
  stream %2 "shift" : f32[2]
  %3, %4, %5 = batch_norm{eps=1e-05}(%0, %1, %2) : f32[4,2], f32[2], f32[2] @"bn1" #forward #group=0
  %6 = relu(%3) : f32[4,2] #forward #group=0
  %7 = batch_norm_inference{eps=1e-05}(%6, %1, %2, %4, %5) : f32[4,2] @"bn2" #forward #group=1
  %8 = relu(%7) : f32[4,2] #forward #group=1
  %9 = batch_norm_inference{eps=1e-05}(%8, %1, %2, %4, %5) : f32[4,2] @"bn3" #forward
  %10 = add(%9, %1) : f32[4,2] #forward
  %11 = relu(%10) : f32[4,2] #forward
  output "y" = %11
}

// case: the gradient of a relu may flow on to others as well
graph "g" stage=trained {
  stream %0 "dy" : f32[4,2]
  stream %1 "y" : f32[4,2]
  stream %2 "x" : f32[4,2]
  stream %3 "c" : f32[2]
  %4 = sum_n(%0, %0) : f32[4,2] #backward
  %5 = relu_backward(%4, %1) : f32[4,2] #backward
  %6, %7, %8 = batch_norm_backward{eps=1e-05}(%5, %2, %3, %3, %3) : f32[4,2], f32[2], f32[2] @"bn" #backward
  %9 = neg(%5) : f32[4,2] @"shortcut" #backward
  output "dx" = %6
  output "dshortcut" = %9
}
// ---
graph "g" stage=grouped {
  stream %0 "dy" : f32[4,2]
  stream %1 "y" : f32[4,2]
  stream %2 "x" : f32[4,2]
  stream %3 "c" : f32[2]
  %4 = sum_n(%0, %0) : f32[4,2] #backward #group=0
  %5 = relu_backward(%4, %1) : f32[4,2] #backward #group=0
  %6, %7, %8 = batch_norm_backward{eps=1e-05}(%5, %2, %3, %3, %3) : f32[4,2], f32[2], f32[2] @"bn" #backward #group=0
  %9 = neg(%5) : f32[4,2] @"shortcut" #backward
  output "dx" = %6
  output "dshortcut" = %9
}

// case: no group, a value inside has a second reader
graph "g" stage=trained {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2 = batch_norm_inference{eps=1e-05}(%0, %1, %1, %1, %1) : f32[4,2] @"bn" #forward
  %3 = relu(%2) : f32[4,2] #forward
  %4 = neg(%2) : f32[4,2] #forward
  output "a" = %3
  output "b" = %4
}
// ---
graph "g" stage=grouped {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2 = batch_norm_inference{eps=1e-05}(%0, %1, %1, %1, %1) : f32[4,2] @"bn" #forward
  %3 = relu(%2) : f32[4,2] #forward
  %4 = neg(%2) : f32[4,2] #forward
  output "a" = %3
  output "b" = %4
}

// case: no group, a value inside is an output
graph "g" stage=trained {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2 = batch_norm_inference{eps=1e-05}(%0, %1, %1, %1, %1) : f32[4,2] @"bn" #forward
  %3 = relu(%2) : f32[4,2] #forward
  output "inside" = %2
  output "y" = %3
}
// ---
graph "g" stage=grouped {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2 = batch_norm_inference{eps=1e-05}(%0, %1, %1, %1, %1) : f32[4,2] @"bn" #forward
  %3 = relu(%2) : f32[4,2] #forward
  output "inside" = %2
  output "y" = %3
}

// case: no group of three, a path leaves it and comes back
graph "g" stage=trained {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2, %3, %4 = batch_norm{eps=1e-05}(%0, %1, %1) : f32[4,2], f32[2], f32[2] @"bn" #forward
  %5 = broadcast_to{shape=[4,2]}(%3) : f32[4,2] @"outside" #forward
  %6 = add(%2, %5) : f32[4,2] #forward
  %7 = relu(%6) : f32[4,2] #forward
  output "y" = %7
}
// ---
graph "g" stage=grouped {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2, %3, %4 = batch_norm{eps=1e-05}(%0, %1, %1) : f32[4,2], f32[2], f32[2] @"bn" #forward
  %5 = broadcast_to{shape=[4,2]}(%3) : f32[4,2] @"outside" #forward
  %6 = add(%2, %5) : f32[4,2] #forward
  %7 = relu(%6) : f32[4,2] #forward
  output "y" = %7
}

// case: of two groups that would wait for each other only one is marked
graph "g" stage=trained {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2, %3, %4 = batch_norm{eps=1e-05}(%0, %1, %1) : f32[4,2], f32[2], f32[2] @"one" #forward
  %5, %6, %7 = batch_norm{eps=1e-05}(%0, %1, %1) : f32[4,2], f32[2], f32[2] @"two" #forward
  %8 = broadcast_to{shape=[4,2]}(%3) : f32[4,2] @"from one" #forward
  %9 = broadcast_to{shape=[4,2]}(%7) : f32[4,2] @"from two" #forward
  %10 = add(%2, %9) : f32[4,2] @"one" #forward
  %11 = add(%5, %8) : f32[4,2] @"two" #forward
  %12 = relu(%10) : f32[4,2] @"one" #forward
  %13 = relu(%11) : f32[4,2] @"two" #forward
  output "a" = %12
  output "b" = %13
}
// ---
graph "g" stage=grouped {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2, %3, %4 = batch_norm{eps=1e-05}(%0, %1, %1) : f32[4,2], f32[2], f32[2] @"one" #forward #group=0
  %5, %6, %7 = batch_norm{eps=1e-05}(%0, %1, %1) : f32[4,2], f32[2], f32[2] @"two" #forward
  %8 = broadcast_to{shape=[4,2]}(%3) : f32[4,2] @"from one" #forward
  %9 = broadcast_to{shape=[4,2]}(%7) : f32[4,2] @"from two" #forward
  %10 = add(%2, %9) : f32[4,2] @"one" #forward #group=0
  %11 = add(%5, %8) : f32[4,2] @"two" #forward
  %12 = relu(%10) : f32[4,2] @"one" #forward #group=0
  %13 = relu(%11) : f32[4,2] @"two" #forward
  output "a" = %12
  output "b" = %13
}
