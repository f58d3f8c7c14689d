import type { Connection } from '../cluster/http/connection.ts';
import type { Outcome } from '../plan/decision/outcome.ts';

/** Traces and measures runs. Undefined, and not loaded, unless OpenTelemetry's variables name an endpoint. */
export interface Telemetry {
  /** Traces a run, and sends what was measured before it ends; takes two seconds for that at most. */
  readonly run: <R extends MeasuredRun>(about: RunFields, act: () => Promise<R>) => Promise<R>;
  /** Traces the turn of one resource within a run. */
  readonly resource: <R extends MeasuredTurn>(
    about: ResourceFields,
    act: () => Promise<R>,
  ) => Promise<R>;
  /** Returns the connection with its requests traced and measured. */
  readonly connection: (connection: Connection) => Connection;
}

export interface RunFields {
  readonly trigger: string;
  readonly cluster: string;
  /** The age of the oldest audit event that led to the run. */
  readonly eventAgeMs: number | undefined;
}

export interface MeasuredRun {
  readonly resources: Readonly<Record<'total' | 'unchanged' | 'reconciled', number>>;
  readonly undone: readonly unknown[];
}

export interface ResourceFields {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface MeasuredTurn {
  readonly outcomes: readonly Outcome[];
  readonly error?: string | undefined;
}
