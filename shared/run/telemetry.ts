import type { Connection } from '../cluster/http/connection.ts';
import type { Outcome } from '../plan/decision/outcome.ts';

/** Loaded only if OpenTelemetry's variables turn it on. */
export interface Telemetry {
  /** Sends traces and metrics before the run ends, in at most two seconds. */
  readonly run: <R extends MeasuredRun>(about: RunFields, act: () => Promise<R>) => Promise<R>;
  readonly resource: <R extends MeasuredTurn>(
    about: ResourceFields,
    act: () => Promise<R>,
  ) => Promise<R>;
  readonly queued: (ms: number) => void;
  readonly connection: (connection: Connection) => Connection;
}

export interface RunFields {
  readonly trigger: string;
  readonly cluster: string;
  readonly eventAgeMs?: number | undefined;
}

/** The measured part of a run's `Report`. */
export interface MeasuredRun {
  /** With fan-out, only the total, because other runs reconcile the resources. */
  readonly resources: number | Readonly<Record<'total' | 'unchanged' | 'reconciled', number>>;
  readonly undone?: readonly unknown[];
  readonly incomplete: readonly unknown[];
  readonly unkept?: number;
}

interface ResourceFields {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The time of the oldest audit event behind the run, in milliseconds since the epoch. */
  readonly since: number | undefined;
}

export interface MeasuredTurn {
  readonly outcomes: readonly Outcome[];
  readonly error?: string | undefined;
}
