import { podNames } from '../pod.ts';
import { duration, jobOf, type Monitored } from './scope.ts';
import { burnAlerts, recordedShares } from './service-levels.ts';

interface Alert {
  readonly alert: string;
  readonly severity: string;
  readonly for: string;
  readonly expr: string;
  readonly summary: string;
}

/** All alerts except those on service levels; docs/alerts.md has a section for each. */
function plainAlerts(to: Monitored): readonly Alert[] {
  const whole = `reconciler_runs_total{${jobOf(to)}, trigger="resync", outcome="whole"}`;
  const alerts = [
    {
      alert: 'NoSuccessfulResync',
      severity: 'critical',
      for: duration(2 * to.interval),
      expr: `${grown(whole, duration(3 * to.interval))} == 0 or absent(${whole})`,
      summary:
        'For several intervals, no resync has covered all resources, so drift without an audit event is not found.',
    },
    {
      alert: 'RolloutHalted',
      severity: 'warning',
      for: '1m',
      expr: 'count by (customresource_kind) (reconciler_resource_condition{reason="RolloutHalted"}) > 0',
      summary:
        'Resources were not Ready in time after a change to the code of {{ $labels.customresource_kind }}.',
    },
    {
      alert: 'ResourceStalled',
      severity: 'warning',
      for: '15m',
      expr: 'count by (customresource_kind, reason) (reconciler_resource_condition{type="Stalled"} == 1) > 0',
      summary:
        '{{ $labels.customresource_kind }} resources that are Stalled with reason {{ $labels.reason }}: {{ $value }}.',
    },
  ];
  return to.quietHours === 0 ? alerts : [...alerts, noAuditEvents(to)];
}

const grown = (counter: string, window: string): string =>
  `sum by (job, cluster) (increase(${counter}[${window}]))`;

/**
 * Fires if no event was counted within the window, and at least one counter kept its value throughout. Without the
 * second condition, a restart would cause an alert, because it resets all counters.
 */
function noAuditEvents(to: Monitored): Alert {
  const events = `reconciler_event_age_seconds_count{${jobOf(to)}}`;
  const hours = duration(to.quietHours * 3_600);
  const unchanged = `sum by (job, cluster) (${events} == ${events} offset ${hours}) > 0`;
  return {
    alert: 'NoAuditEvents',
    severity: 'warning',
    for: '10m',
    expr: `(${grown(events, hours)} == 0 and ${unchanged}) or absent_over_time(${events}[${hours}])`,
    summary: `No audit event has started a run for ${to.quietHours} h, so only resyncs repair drift.`,
  };
}

const inPrometheus = ({ runbook }: Monitored, { alert, severity, summary, ...rule }: Alert) => ({
  alert,
  ...rule,
  labels: { severity },
  annotations: { summary, runbook_url: `${runbook}#${alert.toLowerCase()}` },
});

export const prometheusRule = (to: Monitored) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: metadataOf(to),
  spec: {
    groups: [
      { name: `${to.name}-service-levels`, rules: recordedShares(to) },
      {
        name: `${to.name}-alerts`,
        rules: [...plainAlerts(to), ...burnAlerts(to)].map((alert) => inPrometheus(to, alert)),
      },
    ],
  },
});

export const podMonitor = (to: Monitored) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PodMonitor',
  metadata: metadataOf(to),
  spec: {
    selector: {
      matchLabels: { 'app.kubernetes.io/name': to.name },
      matchExpressions: [
        { key: 'app.kubernetes.io/component', operator: 'In', values: ['resync', 'audit'] },
      ],
    },
    podMetricsEndpoints: [{ port: 'metrics' }],
  },
});

const metadataOf = (to: Monitored) => ({
  name: podNames(to).account,
  namespace: to.namespace,
  labels: { 'app.kubernetes.io/name': to.name },
});
