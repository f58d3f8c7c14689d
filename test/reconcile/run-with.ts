import type { Clients, Limits, Lookups, Policy, Run } from '../../shared/run/run.ts';

/** Holds the parts of a run in one object, as a test replaces them. */
export type RunParts = Pick<Run, 'cluster'> & Clients & Limits & Policy & Lookups;

/** Copies a run with some of its parts replaced. */
export function runWith(run: Run, parts: Partial<RunParts>): Run {
  const { cluster, clients, limits, policy, lookups } = run;
  const all: RunParts = { cluster, ...clients, ...limits, ...policy, ...lookups, ...parts };
  return {
    cluster: all.cluster,
    clients: { identity: all.identity, log: all.log, now: all.now, observer: all.observer },
    limits: { deadline: all.deadline, memory: all.memory },
    policy: { trigger: all.trigger, causes: all.causes, seed: all.seed, rollout: all.rollout },
    lookups: { nodePorts: all.nodePorts },
  };
}
