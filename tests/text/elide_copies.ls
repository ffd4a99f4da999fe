// An update writes its variable directly where nobody still needs the old value.

// case: in place, elementwise over the variable
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  variable $1 "m" : f32[2] {role=optimizer_state, trainable=false, init=zeros, scale=0, owner="w"}
  variable $2 "rate" : f32[] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  variable $3 "yes" : pred[] {role=flag, trainable=false, init=ones, scale=0, owner=""}
  program "train" {
    stream !0 "g" : f32[2] x4
    output ^0 "w" : f32[2] x1
    repeat i <= 1 {
      feed !0[i mod 4] #forward
      %0 : f32[2], %1 : f32[2] = sgd{form=rate_outside, momentum=0.9, nesterov=false, weight_decay=0}($0, !0[i mod 4], $1, $2, $3) @"w" #update
      fetch ^0[i mod 1] = %0 #update
      copy $0 = %0 #update
      copy $1 = %1 #update
    }
  }
}
// ---
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=true, init=zeros, scale=0, owner=""}
  variable $1 "m" : f32[2] {role=optimizer_state, trainable=false, init=zeros, scale=0, owner="w"}
  variable $2 "rate" : f32[] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  variable $3 "yes" : pred[] {role=flag, trainable=false, init=ones, scale=0, owner=""}
  program "train" {
    stream !0 "g" : f32[2] x4
    output ^0 "w" : f32[2] x1
    repeat i <= 1 {
      feed !0[i mod 4] #forward
      $0, $1 = sgd{form=rate_outside, momentum=0.9, nesterov=false, weight_decay=0}($0, !0[i mod 4], $1, $2, $3) @"w" #update
      fetch ^0[i mod 1] = $0 #update
    }
  }
}

// case: stays, the old value is read later
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    output ^0 "old" : f32[2] x1
    repeat i <= 1 {
      %0 : f32[2] = exp($0) #forward
      %1 : f32[2] = neg($0) #forward
      fetch ^0[i mod 1] = %1 #update
      copy $0 = %0 #update
    }
  }
}
// ---
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    output ^0 "old" : f32[2] x1
    repeat i <= 1 {
      %0 : f32[2] = exp($0) #forward
      %1 : f32[2] = neg($0) #forward
      fetch ^0[i mod 1] = %1 #update
      copy $0 = %0 #update
    }
  }
}

// case: stays, the maker reads the variable in another order than it writes
bundle "b" format=1 {
  variable $0 "w" : f32[2,2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 1 {
      %0 : f32[2,2] = transpose{perm=[1,0]}($0) #forward
      copy $0 = %0 #update
    }
  }
}
// ---
bundle "b" format=1 {
  variable $0 "w" : f32[2,2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 1 {
      %0 : f32[2,2] = transpose{perm=[1,0]}($0) #forward
      copy $0 = %0 #update
    }
  }
}

// case: two variables feed each other: the later update is in place, the earlier one has to wait
bundle "b" format=1 {
  variable $0 "a" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  variable $1 "b" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 1 {
      %0 : f32[2] = scale{factor=2}($1) #update
      %1 : f32[2] = scale{factor=3}($0) #update
      copy $0 = %0 #update
      copy $1 = %1 #update
    }
  }
}
// ---
bundle "b" format=1 {
  variable $0 "a" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  variable $1 "b" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 1 {
      %0 : f32[2] = scale{factor=2}($1) #update
      $1 = scale{factor=3}($0) #update
      copy $0 = %0 #update
    }
  }
}

// case: stays, the value is read behind the repeat
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    output ^0 "y" : f32[2] x1
    repeat i <= 3 {
      %0 : f32[2] = exp($0) #forward
      copy $0 = %0 #update
    }
    repeat i <= 1 {
      fetch ^0[i mod 1] = %0 #update
    }
  }
}
// ---
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    output ^0 "y" : f32[2] x1
    repeat i <= 3 {
      %0 : f32[2] = exp($0) #forward
      copy $0 = %0 #update
    }
    repeat i <= 1 {
      fetch ^0[i mod 1] = %0 #update
    }
  }
}

// case: stays, the slot was filled by another iteration
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 3 {
      %0[i mod 2] : f32[2] x2 = exp($0) #forward
      copy $0 = %0[i+1 mod 2] #update
    }
  }
}
// ---
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 3 {
      %0[i mod 2] : f32[2] x2 = exp($0) #forward
      copy $0 = %0[i+1 mod 2] #update
    }
  }
}

// case: stays, a send that began before may still read the variable
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 1 {
      start 0 send{collective=all_reduce, order=canonical, group="all", peer=1, tag=0} $0 #forward
      %0 : f32[2] = exp($0) #forward
      wait 0 #forward
      copy $0 = %0 #update
    }
  }
}
// ---
bundle "b" format=1 {
  variable $0 "w" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 1 {
      start 0 send{collective=all_reduce, order=canonical, group="all", peer=1, tag=0} $0 #forward
      %0 : f32[2] = exp($0) #forward
      wait 0 #forward
      copy $0 = %0 #update
    }
  }
}

// case: stays, two variables change places
bundle "b" format=1 {
  variable $0 "a" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  variable $1 "b" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 1 {
      copy %0 : f32[2] = $0 #update
      copy $0 = $1 #update
      copy $1 = %0 #update
    }
  }
}
// ---
bundle "b" format=1 {
  variable $0 "a" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  variable $1 "b" : f32[2] {role=weight, trainable=false, init=zeros, scale=0, owner=""}
  program "p" {
    repeat i <= 1 {
      copy %0 : f32[2] = $0 #update
      copy $0 = $1 #update
      copy $1 = %0 #update
    }
  }
}
