"use strict";
// Finds the frames of a flame graph to fold into one box: chains of framework frames that take the same time.
const flameChains = (function () {
  const LEAST_CHAIN = 3; // frames; shorter chains are drawn unfolded
  const SAME_TIME = 0.98; // share of a caller's time from which the callee takes all of it, so that both are one chain

  // `below`: the callees of each node, heaviest first; a caller has a smaller number than its callees. `isOpen`:
  // whether the chain that begins at a node stays unfolded. Returns `chains`, the first node of each -> its last one,
  // and `headOf`, every other node of a chain -> its first one.
  return (below, weights, isPlain, isOpen) => {
    const chains = new Map(), headOf = new Map(), inChain = new Uint8Array(weights.length);
    for (let i = 0; i < weights.length; i++) {
      if (inChain[i] || !isPlain(i) || !weights[i]) continue;
      const chain = [i];
      for (let last = i; ;) {
        const next = below[last][0];
        if (next === undefined || !isPlain(next) || weights[next] < SAME_TIME * weights[last]) break;
        chain.push(last = next);
      }
      if (chain.length < LEAST_CHAIN) continue;
      chain.forEach((member) => { inChain[member] = 1; });
      if (isOpen(i)) continue;
      chains.set(i, chain[chain.length - 1]);
      chain.slice(1).forEach((member) => headOf.set(member, i));
    }
    return { chains, headOf };
  };
})();
