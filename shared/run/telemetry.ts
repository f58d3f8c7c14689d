import type { Connection } from '../cluster/http/connection.ts';
import type { Outcome } from '../plan/decision/outcome.ts';

/** Traces and measures runs. Loaded only if OpenTelemetry's variables name an endpoint. */
export interface Telemetry {
  /** Traces a run, and sends what was measured before the run ends. Sending takes at most two seconds. */
  readonly run: <R extends MeasuredRun>(about: RunFields, act: () => Promise<R>) => Promise<R>;
  /** Traces the turn of one resource within a run. */
  readonly resource: <R extends MeasuredTurn>(
    about: ResourceFields,
    act: () => Promise<R>,
  ) => Promise<R>;
  /** Returns a connection whose requests are traced and measured. */
  readonly connection: (connection: Connection) => Connection;
}

export interface RunFields {
  readonly trigger: string;
  readonly cluster: string;
  /** Age of the oldest audit event that led to the run. */
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
