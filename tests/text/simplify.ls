// The rewrite table, to the end: one rule often makes room for the next. What the rules leave unread stays until
// remove_dead.

// case: several rules on one value
graph "g" stage=model {
  stream %0 "x" : f32[2,3]
  %1 = constant{value=0, shape=[2,3], dtype=f32}() : f32[2,3] #forward
  %2 = constant{value=1, shape=[], dtype=f32}() : f32[] #forward
  %3 = add(%0, %1) : f32[2,3] @"a" #forward
  %4 = mul(%3, %2) : f32[2,3] @"b" #forward
  %5 = neg(%4) : f32[2,3] #forward
  %6 = neg(%5) : f32[2,3] #forward
  %7 = scale{factor=1}(%6) : f32[2,3] #forward
  %8 = relu(%7) : f32[2,3] @"c" #forward
  %9 = relu(%8) : f32[2,3] @"d" #forward
  output "y" = %9
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[2,3]
  %1 = constant{value=0, shape=[2,3], dtype=f32}() : f32[2,3] #forward
  %2 = constant{value=1, shape=[], dtype=f32}() : f32[] #forward
  %3 = neg(%0) : f32[2,3] #forward
  %4 = relu(%0) : f32[2,3] @"c" #forward
  %5 = relu(%0) : f32[2,3] @"d" #forward
  output "y" = %5
}

// case: reshapes, casts and broadcasts in a row
graph "g" stage=model {
  stream %0 "x" : f16[2,6]
  stream %1 "b" : f32[3]
  %2 = reshape{shape=[12]}(%0) : f16[12] #forward
  %3 = reshape{shape=[4,3]}(%2) : f16[4,3] @"r" #forward
  %4 = cast{to=f32}(%3) : f32[4,3] #forward
  %5 = cast{to=f16}(%4) : f16[4,3] @"exact" #forward
  %6 = broadcast_to{shape=[4,3]}(%1) : f32[4,3] #forward
  %7 = broadcast_to{shape=[2,4,3]}(%6) : f32[2,4,3] @"wide" #forward
  output "x" = %5
  output "b" = %7
}
// ---
graph "g" stage=model {
  stream %0 "x" : f16[2,6]
  stream %1 "b" : f32[3]
  %2 = reshape{shape=[12]}(%0) : f16[12] #forward
  %3 = reshape{shape=[4,3]}(%0) : f16[4,3] @"r" #forward
  %4 = cast{to=f32}(%3) : f32[4,3] #forward
  %5 = broadcast_to{shape=[4,3]}(%1) : f32[4,3] #forward
  %6 = broadcast_to{shape=[2,4,3]}(%1) : f32[2,4,3] @"wide" #forward
  output "x" = %3
  output "b" = %6
}

// case: a cast that loses something stays
graph "g" stage=model {
  stream %0 "x" : f32[4]
  %1 = cast{to=f16}(%0) : f16[4] #forward
  %2 = cast{to=f32}(%1) : f32[4] #forward
  output "y" = %2
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[4]
  %1 = cast{to=f16}(%0) : f16[4] #forward
  %2 = cast{to=f32}(%1) : f32[4] #forward
  output "y" = %2
}

// case: a zero that widens the other side stays
graph "g" stage=model {
  stream %0 "x" : f32[3]
  %1 = constant{value=0, shape=[2,3], dtype=f32}() : f32[2,3] #forward
  %2 = add(%0, %1) : f32[2,3] #forward
  output "y" = %2
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[3]
  %1 = constant{value=0, shape=[2,3], dtype=f32}() : f32[2,3] #forward
  %2 = add(%0, %1) : f32[2,3] #forward
  output "y" = %2
}

// case: signs move outward, marks and layers stay
graph "g" stage=model {
  stream %0 "x" : f32[3]
  stream %1 "y" : f32[3]
  %2 = neg(%1) : f32[3] #backward
  %3 = sub(%0, %2) : f32[3] @"layer" #backward #stage=1 #recompute
  %4 = add(%3, %2) : f32[3] @"next" #backward
  output "y" = %4
}
// ---
graph "g" stage=model {
  stream %0 "x" : f32[3]
  stream %1 "y" : f32[3]
  %2 = neg(%1) : f32[3] #backward
  %3 = add(%0, %1) : f32[3] @"layer" #backward #stage=1 #recompute
  %4 = sub(%3, %1) : f32[3] @"next" #backward
  output "y" = %4
}
