import { jobOf, type Monitored } from './scope.ts';

interface Panel {
  readonly title: string;
  /** A query in which `JOB` stands for the installation's label selector. */
  readonly expr: string;
  /** The legend of each line, such as `{{trigger}}`. */
  readonly legend: string;
  readonly unit?: 's' | 'percentunit';
}

const p95 = (metric: string, by: string): string =>
  `histogram_quantile(0.95, sum by (le, ${by}) (rate(${metric}_bucket{JOB}[$__rate_interval])))`;

/** Three panels to a row: service levels first, then the metrics that explain them. */
const panels: readonly Panel[] = [
  {
    title: 'Share of complete resyncs, 6 h',
    expr: 'sum by (cluster) (increase(reconciler_runs_total{JOB, trigger="resync", outcome="whole"}[6h])) / sum by (cluster) (increase(reconciler_runs_total{JOB, trigger="resync"}[6h]))',
    legend: '{{cluster}}',
    unit: 'percentunit',
  },
  {
    title: 'Edits repaired within a minute, 6 h',
    expr: 'sum(increase(reconciler_child_drifted_total{JOB, repaired="in_a_minute"}[6h])) / sum(increase(reconciler_child_drifted_total{JOB}[6h]))',
    legend: 'repaired',
    unit: 'percentunit',
  },
  {
    title: 'Resources that are not Ready',
    expr: 'count by (customresource_kind, reason) (reconciler_resource_condition{type="Ready"} == 0)',
    legend: '{{customresource_kind}} {{reason}}',
  },
  {
    title: 'Runs',
    expr: 'sum by (trigger, outcome) (increase(reconciler_runs_total{JOB}[$__rate_interval]))',
    legend: '{{trigger}} {{outcome}}',
  },
  {
    title: 'Run, 95th percentile',
    expr: p95('reconciler_run_duration_seconds', 'trigger'),
    legend: '{{trigger}}',
    unit: 's',
  },
  {
    title: 'Age of audit events, 95th percentile',
    expr: p95('reconciler_event_age_seconds', 'cluster'),
    legend: '{{cluster}}',
    unit: 's',
  },
  {
    title: 'Reconciles that failed',
    expr: 'sum by (controller) (increase(controller_runtime_reconcile_errors_total{JOB}[$__rate_interval]))',
    legend: '{{controller}}',
  },
  {
    title: 'Reconcile time, 95th percentile',
    expr: p95('controller_runtime_reconcile_time_seconds', 'controller'),
    legend: '{{controller}}',
    unit: 's',
  },
  {
    title: 'Wait for other runs, 95th percentile',
    expr: p95('workqueue_queue_duration_seconds', 'name'),
    legend: '{{name}}',
    unit: 's',
  },
  {
    title: 'Children written',
    expr: 'sum by (controller, result) (increase(reconciler_child_writes_total{JOB}[$__rate_interval]))',
    legend: '{{controller}} {{result}}',
  },
  {
    title: 'Conflicts',
    expr: 'sum by (controller) (increase(reconciler_conflicts_total{JOB}[$__rate_interval]))',
    legend: '{{controller}}',
  },
  {
    title: 'Requests to the API server',
    expr: 'sum by (method, error_type) (rate(http_client_request_duration_seconds_count{JOB}[$__rate_interval]))',
    legend: '{{method}} {{error_type}}',
  },
];

/** The user selects the data source in the dashboard. */
export const grafanaDashboard = (to: Monitored) => ({
  uid: to.name.slice(0, 40),
  title: to.name,
  tags: ['reconciler'],
  schemaVersion: 39,
  time: { from: 'now-6h', to: 'now' },
  refresh: '1m',
  templating: {
    list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
  },
  panels: panels.map(({ title, expr, legend, unit = 'short' }, at) => ({
    id: at + 1,
    type: 'timeseries',
    title,
    datasource: { type: 'prometheus', uid: '$datasource' },
    gridPos: { x: 8 * (at % 3), y: 8 * Math.floor(at / 3), w: 8, h: 8 },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: [{ refId: 'A', expr: expr.replaceAll('JOB', jobOf(to)), legendFormat: legend }],
  })),
});
