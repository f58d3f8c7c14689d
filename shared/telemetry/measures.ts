import type { Attributes, Meter } from '@opentelemetry/api';
import { isWrite } from '../plan/decision/outcome.ts';
import type { MeasuredRun, MeasuredTurn } from '../run/telemetry.ts';

/** Creates the instruments, which docs/operating.md lists. Durations are in seconds, as OpenTelemetry recommends. */
export function openMeasures(meter: Meter) {
  const seconds = (name: string, description: string) => {
    const histogram = meter.createHistogram(name, { unit: 's', description });
    return (ms: number, attributes: Attributes) => histogram.record(ms / 1000, attributes);
  };
  const count = (name: string, description: string) => meter.createCounter(name, { description });
  const runs = seconds('reconciler.run.duration', 'Duration of a run');
  const eventAge = seconds('reconciler.event.age', 'Age of the oldest audit event of a run');
  const turns = seconds('reconciler.reconcile.duration', 'Duration of the turn of one resource');
  const errors = count(
    'reconciler.reconcile.errors',
    'Turns of resources that failed or remained incomplete',
  );
  const writes = count('reconciler.child.writes', 'Children created, updated and deleted');
  const drifted = count('reconciler.child.drifted', 'Children that others had changed');
  const requests = seconds('http.client.request.duration', 'Requests to the API server');
  const resources = meter.createGauge('reconciler.resources', {
    description: 'Resources in the last run, by what it did with them',
  });
  return {
    eventAge,
    request: requests,
    run(result: MeasuredRun, ms: number, attributes: Attributes): void {
      const { unchanged, reconciled } = result.resources;
      const states = { unchanged, reconciled, undone: result.undone.length };
      runs(ms, attributes);
      for (const [state, number] of Object.entries(states))
        resources.record(number, { ...attributes, 'reconciler.state': state });
    },
    turn({ outcomes, error }: MeasuredTurn, ms: number, attributes: Attributes): void {
      turns(ms, attributes);
      const failed = outcomes.some(({ result }) => result === 'failed' || result === 'blocked');
      if (error !== undefined || failed) errors.add(1, attributes);
      for (const outcome of outcomes.filter(isWrite)) {
        const { result, origin } = outcome;
        writes.add(1, { ...attributes, 'reconciler.result': result });
        if (origin === 'drift') drifted.add(1, attributes);
      }
    },
  };
}
