// Nodes that no output and no assign needs go; sources stay, for they are the program's face.

// case: a dead chain, a live assign, a node of which one result is read
graph "g" stage=model {
  variable %0 "w" : f32[2] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  stream %1 "unused" : f32[]
  stream %2 "x" : f32[4,2]
  %3 = neg(%0) : f32[2] @"dead" #forward
  %4 = exp(%3) : f32[2] @"dead" #forward
  %5 = scale{factor=0.5}(%0) : f32[2] @"update" #update
  %6, %7, %8 = batch_norm{eps=1e-05}(%2, %0, %0) : f32[4,2], f32[2], f32[2] @"bn" #forward
  assign %0 = %5
  output "mean" = %7
}
// ---
graph "g" stage=model {
  variable %0 "w" : f32[2] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  stream %1 "unused" : f32[]
  stream %2 "x" : f32[4,2]
  %3 = scale{factor=0.5}(%0) : f32[2] @"update" #update
  %4, %5, %6 = batch_norm{eps=1e-05}(%2, %0, %0) : f32[4,2], f32[2], f32[2] @"bn" #forward
  assign %0 = %3
  output "mean" = %5
}

// case: nothing is dead
graph "g" stage=model {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] #forward
  output "y" = %1
  output "x" = %0
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] #forward
  output "y" = %1
  output "x" = %0
}

// case: everything is dead
graph "g" stage=model {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] #forward
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[2]
}
