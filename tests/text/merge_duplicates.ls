// Equal nodes with equal inputs become one; the later one's name goes.

// case: equal nodes and what follows from them
graph "g" stage=model {
  stream %0 "x" : f32[2]
  %1 = constant{value=2, shape=[], dtype=f32}() : f32[] #forward
  %2 = constant{value=2, shape=[], dtype=f32}() : f32[] #forward
  %3 = mul(%0, %1) : f32[2] @"a" #forward
  %4 = mul(%0, %2) : f32[2] @"b" #forward
  %5 = sub(%3, %4) : f32[2] #forward
  output "y" = %5
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[2]
  %1 = constant{value=2, shape=[], dtype=f32}() : f32[] #forward
  %2 = mul(%0, %1) : f32[2] @"a" #forward
  %3 = sub(%2, %2) : f32[2] #forward
  output "y" = %3
}

// case: other attributes, order of inputs, phase or stage are different nodes
graph "g" stage=model {
  stream %0 "x" : f32[2]
  stream %1 "z" : f32[2]
  %2 = scale{factor=2}(%0) : f32[2] #forward
  %3 = scale{factor=3}(%0) : f32[2] #forward
  %4 = scale{factor=2}(%0) : f32[2] #backward
  %5 = scale{factor=2}(%0) : f32[2] #forward #stage=1
  %6 = sub(%0, %1) : f32[2] #forward
  %7 = sub(%1, %0) : f32[2] #forward
  %8 = sum_n(%2, %3, %4, %5, %6, %7) : f32[2] #forward
  output "y" = %8
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[2]
  stream %1 "z" : f32[2]
  %2 = scale{factor=2}(%0) : f32[2] #forward
  %3 = scale{factor=3}(%0) : f32[2] #forward
  %4 = scale{factor=2}(%0) : f32[2] #backward
  %5 = scale{factor=2}(%0) : f32[2] #forward #stage=1
  %6 = sub(%0, %1) : f32[2] #forward
  %7 = sub(%1, %0) : f32[2] #forward
  %8 = sum_n(%2, %3, %4, %5, %6, %7) : f32[2] #forward
  output "y" = %8
}

// case: a recomputed node stays, two equal recomputed ones become one
graph "g" stage=model {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] @"a" #forward
  %2 = relu(%0) : f32[2] @"a" #forward #recompute
  %3 = relu(%0) : f32[2] @"a" #forward #recompute
  %4 = sum_n(%1, %2, %3) : f32[2] #backward
  output "y" = %4
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[2]
  %1 = relu(%0) : f32[2] @"a" #forward
  %2 = relu(%0) : f32[2] @"a" #forward #recompute
  %3 = sum_n(%1, %2, %2) : f32[2] #backward
  output "y" = %3
}

// case: one dropout mask for one use, two for two
graph "g" stage=model {
  stream %0 "x" : f32[2,3]
  stream %1 "seed" : u64[]
  stream %2 "step" : i64[]
  stream %3 "key" : u64[2]
  %4 = dropout{rate=0.5, use=1}(%0, %1, %2, %3) : f32[2,3] #forward
  %5 = dropout{rate=0.5, use=1}(%0, %1, %2, %3) : f32[2,3] #forward
  %6 = dropout{rate=0.5, use=2}(%0, %1, %2, %3) : f32[2,3] #forward
  %7 = sum_n(%4, %5, %6) : f32[2,3] #forward
  output "y" = %7
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[2,3]
  stream %1 "seed" : u64[]
  stream %2 "step" : i64[]
  stream %3 "key" : u64[2]
  %4 = dropout{rate=0.5, use=1}(%0, %1, %2, %3) : f32[2,3] #forward
  %5 = dropout{rate=0.5, use=2}(%0, %1, %2, %3) : f32[2,3] #forward
  %6 = sum_n(%4, %4, %5) : f32[2,3] #forward
  output "y" = %6
}
