// A forward node runs where the latest of what it reads is made.

// case: without stages everything is stage 0
graph "g" stage=grouped {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] #forward
  %2 = neg(%1) : f32[2] #backward
  output "y" = %2
}
// ---
graph "g" stage=placed {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] #forward
  %2 = neg(%1) : f32[2] #backward
  output "y" = %2
}

// case: a stage is handed on to forward readers and to nobody else
graph "g" stage=grouped {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] @"a" #forward
  %2 = exp(%1) : f32[2] @"b" #forward #stage=1
  %3 = neg(%2) : f32[2] @"c" #forward
  %4 = add(%1, %3) : f32[2] @"d" #forward
  %5 = exp(%4) : f32[2] @"e" #forward #stage=3
  %6 = neg(%5) : f32[2] #backward
  %7 = neg(%1) : f32[2] @"f" #forward
  output "y" = %6
  output "z" = %7
}
// ---
graph "g" stage=placed {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] @"a" #forward
  %2 = exp(%1) : f32[2] @"b" #forward #stage=1
  %3 = neg(%2) : f32[2] @"c" #forward #stage=1
  %4 = add(%1, %3) : f32[2] @"d" #forward #stage=1
  %5 = exp(%4) : f32[2] @"e" #forward #stage=3
  %6 = neg(%5) : f32[2] #backward
  %7 = neg(%1) : f32[2] @"f" #forward
  output "y" = %6
  output "z" = %7
}
