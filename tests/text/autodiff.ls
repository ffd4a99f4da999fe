// gradients() of the output "loss" with respect to every trainable variable, in order; each is an output then.

// case: a value used twice sums its gradients, last reader first
graph "g" stage=model {
  variable %0 "w" : f32[2] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  stream %1 "x" : f32[2]
  %2 = mul(%0, %1) : f32[2] @"a" #forward
  %3 = exp(%2) : f32[2] @"b" #forward
  %4 = tanh(%2) : f32[2] @"c" #forward
  %5 = mul(%3, %4) : f32[2] @"d" #forward
  %6 = reduce_sum{axes=[0], keep=false}(%5) : f32[] @"loss" #forward
  output "loss" = %6
}
// ---
graph "g" stage=model {
  variable %0 "w" : f32[2] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  stream %1 "x" : f32[2]
  %2 = mul(%0, %1) : f32[2] @"a" #forward
  %3 = exp(%2) : f32[2] @"b" #forward
  %4 = tanh(%2) : f32[2] @"c" #forward
  %5 = mul(%3, %4) : f32[2] @"d" #forward
  %6 = reduce_sum{axes=[0], keep=false}(%5) : f32[] @"loss" #forward
  %7 = constant{value=1, shape=[], dtype=f32}() : f32[] #forward
  %8 = reshape{shape=[1]}(%7) : f32[1] @"loss" #backward
  %9 = broadcast_to{shape=[2]}(%8) : f32[2] @"loss" #backward
  %10 = mul(%9, %4) : f32[2] @"d" #backward
  %11 = mul(%9, %3) : f32[2] @"d" #backward
  %12 = square(%4) : f32[2] @"c" #backward
  %13 = neg(%12) : f32[2] @"c" #backward
  %14 = shift{by=1}(%13) : f32[2] @"c" #backward
  %15 = mul(%11, %14) : f32[2] @"c" #backward
  %16 = mul(%10, %3) : f32[2] @"b" #backward
  %17 = sum_n(%15, %16) : f32[2] @"a" #backward
  %18 = mul(%17, %1) : f32[2] @"a" #backward
  %19 = mul(%17, %0) : f32[2] @"a" #backward
  output "loss" = %6
  output "grad.w" = %18
}

// case: no gradient flows to what the loss does not read, nor through what depends on no variable
graph "g" stage=model {
  variable %0 "w" : f32[3] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  variable %1 "apart" : f32[3] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  stream %2 "x" : f32[3]
  %3 = exp(%2) : f32[3] @"of x" #forward
  %4 = sub(%0, %3) : f32[3] @"difference" #forward
  %5 = square(%4) : f32[3] @"square" #forward
  %6 = neg(%1) : f32[3] @"not read" #forward
  output "loss" = %5
  output "other" = %6
}
// ---
graph "g" stage=model {
  variable %0 "w" : f32[3] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  variable %1 "apart" : f32[3] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  stream %2 "x" : f32[3]
  %3 = exp(%2) : f32[3] @"of x" #forward
  %4 = sub(%0, %3) : f32[3] @"difference" #forward
  %5 = square(%4) : f32[3] @"square" #forward
  %6 = neg(%1) : f32[3] @"not read" #forward
  %7 = constant{value=1, shape=[3], dtype=f32}() : f32[3] #forward
  %8 = scale{factor=2}(%4) : f32[3] @"square" #backward
  %9 = mul(%7, %8) : f32[3] @"square" #backward
  %10 = neg(%9) : f32[3] @"difference" #backward
  output "loss" = %5
  output "other" = %6
  output "grad.w" = %9
}
