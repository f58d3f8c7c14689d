/** What tests of kinds are written with, in any test framework. */
export type { SkippedChange } from './drift.ts';
export {
  type Convergence,
  type ConvergenceOptions,
  expectConverged,
} from './expect-converged.ts';
export type { LawFailure } from './failure.ts';
export {
  type AppliedObject,
  type InNamespace,
  type LiveObject,
  type PatchOptions,
  RefusedError,
} from './user.ts';
export {
  type AppliedResource,
  createWorld,
  type SentRequest,
  type World,
  type WorldOptions,
} from './world.ts';
