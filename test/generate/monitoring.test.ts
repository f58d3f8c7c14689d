import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { openTelemetry } from '../../functions/telemetry/otlp.ts';
import { kubernetesManifests } from '../../infra/generate/kubernetes-manifests.ts';
import { monitoringFiles } from '../../infra/generate/monitoring/monitoring.ts';
import { podMonitor } from '../../infra/generate/monitoring/prometheus-rules.ts';
import { metricsVariables } from '../../infra/generate/pod.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { kinds } from '../support/config.ts';
import { logInto } from '../support/log.ts';
import { freePort } from '../support/processes.ts';

const to = {
  name: 'r',
  namespace: 'n',
  interval: 300,
  quietHours: 0,
  runbook: 'https://runbooks.example.com/alerts.md',
};

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: { readonly severity: string };
  readonly annotations?: { readonly runbook_url: string };
}

function rulesFor(over: Partial<typeof to> = {}): readonly Rule[] {
  const text = monitoringFiles(kinds, { ...to, ...over }).get('prometheus-rule.yaml') ?? '';
  return parse(text).spec.groups.flatMap(
    (group: { readonly rules: readonly Rule[] }) => group.rules,
  );
}

/** Serves every metric once; resolves with what Prometheus scrapes. */
async function scrapedText(): Promise<string> {
  const port = await freePort();
  const log = logInto([], 'ERROR');
  const options = { service: 'r', version: '1', traceparent: () => undefined, log };
  const telemetry = await openTelemetry(options, {
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
  });
  const conflict = new KubeError('apply', { code: 409, status: { reason: 'Conflict' } });
  const { send } = telemetry.connection({
    send: () => Promise.reject(conflict),
    close: () => undefined,
  });
  telemetry.queued(1);
  const report = { resources: { total: 1, unchanged: 0, reconciled: 1 }, undone: [] };
  const about = { kind: 'Foo', namespace: 'default', name: 'a', since: Date.now() };
  const child = { apiVersion: 'v1', kind: 'Service', name: 'a' };
  await telemetry.run({ trigger: 'resync', cluster: 'main', eventAgeMs: 1 }, async () => {
    await telemetry.resource(about, async () => {
      const call = { method: 'PATCH', path: '/', what: 'apply' } as const;
      await send(call).catch(() => undefined);
      return { outcomes: [{ child, result: 'updated', origin: 'drift' }], error: 'failed' };
    });
    return { ...report, incomplete: [], unkept: 0 };
  });
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** Finds selectors of series and their labels: `name{label="value"}`. */
const selectorsIn = (text: string): readonly (readonly [string, readonly string[]])[] =>
  [...text.matchAll(/\b([a-z_]+_(?:total|bucket|count|seconds))\{([^}]*)\}/g)].map(
    ([, name = '', labels = '']) => [
      name,
      [...labels.matchAll(/([a-z_]+)!?=/g)].map(([, label = '']) => label),
    ],
  );

it('rules and dashboard query only metrics and labels that the functions serve', async () => {
  const served = new Map<string, Set<string>>();
  for (const line of (await scrapedText()).split('\n')) {
    const [, name = '', labels = ''] = /^(\w+)\{(.*)\}/.exec(line) ?? [];
    const known = served.get(name) ?? new Set(['job']);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    served.set(name, known);
  }
  const files = monitoringFiles(kinds, { ...to, quietHours: 6 });
  const strings = [
    ...rulesFor({ quietHours: 6 }).map(({ expr }) => expr),
    files.get('dashboard.json'),
  ];
  const used = strings.flatMap((text = '') => selectorsIn(text.replaceAll('\\"', '"')));
  expect(used.length).toBeGreaterThan(40);
  for (const [name, labels] of used) {
    expect([...served.keys()]).toContain(name);
    expect([...(served.get(name) ?? [])]).toEqual(expect.arrayContaining([...labels]));
  }
});

it('the alert on missing audit events exists only with a number of hours', () => {
  const names = (quietHours: number) => rulesFor({ quietHours }).map(({ alert }) => alert);
  expect(names(0)).not.toContain('NoAuditEvents');
  expect(names(6)).toContain('NoAuditEvents');
});

it.each([
  [300, '15m', '1h'],
  [60, '15m', '1h'],
  [3_600, '3h', '12h'],
])(
  'with %d s between resyncs the shortest window is %s and the next one %s',
  (interval, ...windows) => {
    const text = rulesFor({ interval })
      .map(({ expr }) => expr)
      .join('\n');
    for (const window of windows)
      expect(text).toContain(`reconciler:resyncs_not_whole:ratio_rate${window}{`);
  },
);

it('every alert links to its section of the runbook', () => {
  const alerts = rulesFor({ quietHours: 6 }).filter(({ alert }) => alert !== undefined);
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(6);
  for (const { alert = '', annotations } of alerts)
    expect(annotations?.runbook_url).toBe(`${to.runbook}#${alert.toLowerCase()}`);
});

interface Pods {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly { readonly ports: readonly object[] }[] };
    };
  };
}

const manifestsWith = (environment: Readonly<Record<string, string>>) =>
  kubernetesManifests({
    ...to,
    image: 'r:1',
    schedule: '*/5 * * * *',
    deadlineSeconds: 300,
    namespaces: undefined,
    auditFrom: ['10.0.0.0/28'],
    environment,
  });

const targets = ['resync', 'audit'] as const;

it.each(targets)(
  'the PodMonitor selects the port of %s, which its NetworkPolicy opens',
  (target) => {
    const made = manifestsWith(metricsVariables);
    const { template } = (made.get(`${target}-deployment.yaml`) as Pods).spec;
    const { selector, podMetricsEndpoints } = podMonitor(to).spec;
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    expect(template.spec.containers[0]?.ports).toContainEqual({
      name: podMetricsEndpoints[0]?.port,
      containerPort: 9464,
    });
    expect(made.get(`${target}-network-policy.yaml`)).toHaveProperty('spec.ingress.1', {
      ports: [{ protocol: 'TCP', port: 9464 }],
    });
  },
);

it('without metrics, no metrics port is opened', () => {
  expect(JSON.stringify([...manifestsWith({})])).not.toContain('9464');
});
