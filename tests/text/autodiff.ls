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
