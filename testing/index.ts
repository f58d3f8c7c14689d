/** The API for tests of kinds, for use with any test framework. */
export type { SkippedChange } from './drift/drift-law.ts';
export {
  type Convergence,
  type ConvergenceOptions,
  expectConverged,
} from './expect-converged.ts';
export type { LawFailure } from './failure.ts';
export { createTestEnvironment } from './open-test-environment.ts';
export type { StatusFor } from './rehearse.ts';
export {
  expectReliable,
  type Reliability,
  type ReliabilityOptions,
} from './reliable/expect-reliable.ts';
export type { Disturbance, Sequence } from './reliable/sequence.ts';
export type {
  AppliedResource,
  SentRequest,
  TestEnvironment,
  TestEnvironmentOptions,
} from './test-environment.ts';
export {
  type AppliedObject,
  type InNamespace,
  type LiveObject,
  type PatchOptions,
  RefusedError,
} from './user.ts';
