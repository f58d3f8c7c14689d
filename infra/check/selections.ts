import { canonicalJson } from '../../shared/canonical.ts';
import { isFields, type JsonFields, textAt, valueAt } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { label } from '../../shared/kinds/names.ts';
import { isCustom, type JsonObject, titleOf } from '../../shared/kubernetes.ts';
import { truncate } from '../../shared/printable.ts';
import { didYouMean } from '../similar.ts';
import { scaledChild } from './body-problems.ts';

/** The pods that a child creates, or the child itself if it is a Pod. */
interface Pods {
  readonly of: Child;
  readonly labels: JsonFields;
  /** Keys of labels that the engine adds to a Pod. Selectors are not checked for these keys. */
  readonly further: readonly string[];
  readonly ports: readonly Port[];
}

interface Port {
  readonly name: string;
  readonly protocol: string;
}

/**
 * Finds selectors, targets and ports that match no other child. Returns messages with the child, the field
 * and what would match.
 *
 * Caveats: the messages are only warnings, because a selector may be meant for objects of another owner.
 * Checks no selectors in a namespace in which no child creates pods. Checks nothing if a child is a custom
 * resource, whose controller may create pods.
 */
export function unmatchedSelections(children: readonly Child[]): readonly string[] {
  if (children.some(({ type }) => isCustom(type))) return [];
  const pods = children.flatMap(podsOf);
  return children.flatMap((child) => {
    const near = pods.filter(({ of }) => of.namespace === child.namespace);
    return [
      ...(near.length > 0 ? selectorWarnings(child, near) : []),
      ...targetWarnings(child, children),
      ...backendWarnings(child, children),
    ].map((warning) => `${titleOfChild(child)}: ${warning}`);
  });
}

function podsOf(child: Child): readonly Pods[] {
  const { type, labels = {}, body } = child;
  const template =
    type.kind === 'Pod'
      ? { metadata: { labels }, spec: body.spec }
      : (valueAt(body, 'spec', 'jobTemplate', 'spec', 'template') ??
        valueAt(body, 'spec', 'template'));
  if (!Array.isArray(valueAt(template, 'spec', 'containers'))) return [];
  const containers = ['containers', 'initContainers'].flatMap((list) =>
    fieldsIn(valueAt(template, 'spec', list)),
  );
  const own = valueAt(template, 'metadata', 'labels');
  return [
    {
      of: child,
      labels: isFields(own) ? own : {},
      further: type.kind === 'Pod' ? Object.values(label) : [],
      ports: containers.flatMap((one) =>
        fieldsIn(one.ports).map((port) => ({
          name: textAt(port, 'name') ?? '',
          protocol: protocolOf(port),
        })),
      ),
    },
  ];
}

const fieldsIn = (list: unknown): readonly JsonFields[] =>
  Array.isArray(list) ? list.filter(isFields) : [];

const protocolOf = (port: JsonFields): string => textAt(port, 'protocol') ?? 'TCP';

/** Maps a type to the field of its spec that selects pods. */
const selectors: Readonly<Record<string, string>> = {
  NetworkPolicy: 'podSelector',
  PodDisruptionBudget: 'selector',
  Service: 'selector',
};

function selectorWarnings({ type, body }: Child, pods: readonly Pods[]): readonly string[] {
  const field = selectors[type.kind];
  const selector = field === undefined ? undefined : valueAt(body.spec, field);
  if (!isFields(selector) || textAt(body.spec, 'type') === 'ExternalName') return [];
  const requirements = requirementsOf(
    type.kind === 'Service' ? { matchLabels: selector } : selector,
  );
  // An empty selector selects no pods in a Service, and all pods in other types.
  if (requirements.length === 0) return [];
  const selected = pods.filter((one) => requirements.every((required) => required(one)));
  if (selected.length > 0) return type.kind === 'Service' ? portWarnings(body, selected) : [];
  const labelled = pods.filter(({ labels }) => Object.keys(labels).length > 0);
  const known = labelled.map(
    ({ of, labels }) => `those of ${titleOfChild(of)} have ${textOf(labels)}`,
  );
  return [
    `spec.${field} ${textOf(selector)} selects no pods of the other children; ${known.join(', ') || 'their pods have no labels'}`,
  ];
}

type Requirement = (pods: Pods) => boolean;

function requirementsOf(selector: JsonFields): readonly Requirement[] {
  const { matchLabels, matchExpressions } = selector;
  const labels = Object.entries(isFields(matchLabels) ? matchLabels : {});
  return [
    ...labels.map(([key, value]) => requirement(key, (found) => found === value)),
    ...fieldsIn(matchExpressions).map(({ key, operator, values }) => {
      const listed = Array.isArray(values) ? values : [];
      const tests: Readonly<Record<string, (found: unknown) => boolean>> = {
        In: (found) => listed.includes(found),
        NotIn: (found) => !listed.includes(found),
        Exists: (found) => found !== undefined,
        DoesNotExist: (found) => found === undefined,
      };
      return requirement(String(key), tests[String(operator)] ?? (() => true));
    }),
  ];
}

const requirement =
  (key: string, accepts: (found: unknown) => boolean): Requirement =>
  ({ labels, further }) =>
    isSetByOthers(key) || further.includes(key) || accepts(valueAt(labels, key));

/** Matches label keys that controllers and admission add to pods, such as `statefulset.kubernetes.io/pod-name`. */
const isSetByOthers = (key: string): boolean =>
  /^(?!app\.)([^/]+\.)?(kubernetes|k8s)\.io\//.test(key) ||
  ['controller-revision-hash', 'controller-uid', 'job-name', 'pod-template-hash'].includes(key);

/** Checks only ports that are given by name. */
function portWarnings(body: JsonObject, pods: readonly Pods[]): readonly string[] {
  const known = pods.flatMap(({ ports }) => ports).filter(({ name }) => name !== '');
  return fieldsIn(valueAt(body.spec, 'ports')).flatMap((port) => {
    const target = textAt(port, 'targetPort');
    const protocol = protocolOf(port);
    if (target === undefined) return [];
    if (known.some((one) => one.name === target && one.protocol === protocol)) return [];
    const names = [...new Set(known.map((one) => `${one.name}/${one.protocol}`))];
    return [
      `targetPort ${target}/${protocol} names no port of the selected containers; ${names.length === 0 ? 'none has a name' : `they have ${names.join(', ')}`}`,
    ];
  });
}

/** Warns only if there is a child that the autoscaler could scale. */
function targetWarnings({ type, namespace, body }: Child, children: readonly Child[]) {
  const target = valueAt(body.spec, 'scaleTargetRef');
  if (type.kind !== 'HorizontalPodAutoscaler' || !isFields(target)) return [];
  const [kind = '', name = ''] = [textAt(target, 'kind'), textAt(target, 'name')];
  const [group = ''] = (textAt(target, 'apiVersion') ?? '').split('/').slice(0, -1);
  const known = children.filter((one) => one.type.scale && one.namespace === namespace);
  const isKnown = scaledChild(target, known) !== undefined;
  if (isCustom({ group }) || isKnown || known.length === 0) return [];
  const found = titleOf({ kind: [kind, group].filter(Boolean).join('.'), name });
  return [
    `spec.scaleTargetRef names ${found}, which is not one of the other children; these could be scaled: ${known.map(titleOfChild).join(', ')}`,
  ];
}

/** Ignores Services of other owners. */
function backendWarnings({ type, namespace, body }: Child, children: readonly Child[]) {
  if (type.kind !== 'Ingress') return [];
  const rules = fieldsIn(valueAt(body.spec, 'rules'));
  const paths = rules.flatMap((rule) => fieldsIn(valueAt(rule, 'http', 'paths')));
  const backends = [valueAt(body.spec, 'defaultBackend'), ...paths.map(({ backend }) => backend)];
  return backends.flatMap((backend) => {
    const name = textAt(backend, 'service', 'name');
    const service = children.find(
      (one) => one.type.kind === 'Service' && one.name === name && one.namespace === namespace,
    );
    const port = valueAt(backend, 'service', 'port');
    if (service === undefined || !isFields(port)) return [];
    const ports = fieldsIn(valueAt(service.body.spec, 'ports'));
    const isThere = ports.some((one) =>
      port.name === undefined ? one.port === port.number : one.name === port.name,
    );
    if (isThere) return [];
    const names = ports.map((one) => String(one.name ?? one.port));
    const target = String(port.name ?? port.number);
    return [
      `its backend is port ${target} of ${titleOfChild(service)}, which has no such port; its ports: ${names.join(', ') || 'none'}${didYouMean(target, names)}`,
    ];
  });
}

const textOf = (fields: JsonFields): string => truncate(canonicalJson(fields as JsonObject), 200);
