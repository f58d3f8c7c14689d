import { present } from '../../shared/json.ts';
import type { Turn } from '../../shared/resource/turn.ts';
import type { Clients, Limits, Policy, Run } from '../../shared/run/run.ts';

/** The parts of a run in one flat object, some of which a test replaces. */
export type RunParts = Pick<Run, 'cluster' | 'nodePorts'> & Clients & Limits & Policy;

/** Copies a run with some of its parts replaced. */
export function runWith(run: Run, parts: Partial<RunParts>): Run {
  const { cluster, nodePorts, clients, limits, policy } = run;
  const all: RunParts = {
    cluster,
    nodePorts,
    ...clients,
    ...limits,
    ...policy,
    ...parts,
  };
  return {
    cluster: all.cluster,
    clients: { identity: all.identity, log: all.log, now: all.now, observer: all.observer },
    limits: {
      deadline: all.deadline,
      memory: all.memory,
      ...present({ stopped: all.stopped }),
    },
    policy: { trigger: all.trigger, causes: all.causes, seed: all.seed, rollout: all.rollout },
    nodePorts: all.nodePorts,
  };
}

/** Lets a turn continue with another run. */
export const turnWith = (turn: Turn, run: Run): Turn =>
  Object.assign(turn, { run, writing: run, ending: run });
