import type { Kind } from '../../../shared/kinds/kind.ts';
import { yaml } from '../files.ts';
import { grafanaDashboard } from './grafana-dashboard.ts';
import { customResourceState, customResourceStateRole } from './kube-state-metrics.ts';
import { podMonitor, prometheusRule } from './prometheus-rules.ts';
import type { Monitored } from './scope.ts';

/** Returns the contents of the files, by path. */
export const monitoringFiles = (
  kinds: readonly Kind[],
  to: Monitored,
): ReadonlyMap<string, string> =>
  new Map([
    ['prometheus-rule.yaml', yaml(prometheusRule(to))],
    ['pod-monitor.yaml', yaml(podMonitor(to))],
    ['dashboard.json', `${JSON.stringify(grafanaDashboard(to), null, 2)}\n`],
    ['kube-state-metrics/config.yaml', yaml(customResourceState(kinds))],
    ['kube-state-metrics/cluster-role.yaml', yaml(customResourceStateRole(kinds, to.name))],
  ]);
