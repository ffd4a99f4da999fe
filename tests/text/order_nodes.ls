// The nodes of a group stand together where its last one stood; the order is kept otherwise.

// case: a torn group closes up, what stood between goes before or behind it
graph "g" stage=placed {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2, %3, %4 = batch_norm{eps=1e-05}(%0, %1, %1) : f32[4,2], f32[2], f32[2] @"bn" #forward #group=0
  %5 = exp(%0) : f32[4,2] @"between" #forward
  %6 = add(%2, %5) : f32[4,2] #forward #group=0
  %7 = neg(%3) : f32[2] @"reads the group" #forward
  %8 = relu(%6) : f32[4,2] #forward #group=0
  %9 = neg(%8) : f32[4,2] @"behind" #forward
  output "y" = %9
  output "mean" = %7
}
// ---
graph "g" stage=ordered {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2 = exp(%0) : f32[4,2] @"between" #forward
  %3, %4, %5 = batch_norm{eps=1e-05}(%0, %1, %1) : f32[4,2], f32[2], f32[2] @"bn" #forward #group=0
  %6 = add(%3, %2) : f32[4,2] #forward #group=0
  %7 = relu(%6) : f32[4,2] #forward #group=0
  %8 = neg(%4) : f32[2] @"reads the group" #forward
  %9 = neg(%7) : f32[4,2] @"behind" #forward
  output "y" = %9
  output "mean" = %8
}

// case: two groups between each other
graph "g" stage=placed {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2 = batch_norm_inference{eps=1e-05}(%0, %1, %1, %1, %1) : f32[4,2] @"one" #forward #group=0
  %3 = batch_norm_inference{eps=1e-05}(%0, %1, %1, %1, %1) : f32[4,2] @"two" #forward #group=1
  %4 = relu(%3) : f32[4,2] @"two" #forward #group=1
  %5 = relu(%2) : f32[4,2] @"one" #forward #group=0
  output "a" = %4
  output "b" = %5
}
// ---
graph "g" stage=ordered {
  stream %0 "x" : f32[4,2]
  stream %1 "c" : f32[2]
  %2 = batch_norm_inference{eps=1e-05}(%0, %1, %1, %1, %1) : f32[4,2] @"two" #forward #group=1
  %3 = relu(%2) : f32[4,2] @"two" #forward #group=1
  %4 = batch_norm_inference{eps=1e-05}(%0, %1, %1, %1, %1) : f32[4,2] @"one" #forward #group=0
  %5 = relu(%4) : f32[4,2] @"one" #forward #group=0
  output "a" = %3
  output "b" = %5
}

// case: in order already
graph "g" stage=placed {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] #forward
  output "y" = %1
}
// ---
graph "g" stage=ordered {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] #forward
  output "y" = %1
}
