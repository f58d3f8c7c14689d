import { titleOf } from '../../../shared/kubernetes.ts';
import { isOwnershipOnly } from '../../../shared/plan/drift/differences.ts';
import { namespaceOf } from '../../../shared/plan/observed/world.ts';
import type { Action, PlannedResource } from '../../../shared/preview/planned-resource.ts';
import type { Preview } from '../../../shared/preview/preview.ts';
import { effectText } from '../../actions/impact-text.ts';
import { type Line, paint } from '../output/print.ts';
import { changeOf, deletionsFirst, readsText, timeOf } from './plan-table.ts';
import { type DiffLine, yamlDiff } from './yaml-diff.ts';

/** Formats a plan like `kubectl diff`, but only with the changed fields of each object; deletions first. */
export function planDiff(preview: Pick<Preview, 'resources'>): readonly Line[] {
  const { resources } = preview;
  const referring = resources.flatMap(({ reads, ...resource }) =>
    reads === undefined ? [] : [`# ${titleOf(resource)} reads ${readsText(reads)}`],
  );
  const reported = resources.flatMap(({ message, ...resource }) =>
    message === undefined ? [] : [`# ${titleOf(resource)}: ${message}`.replaceAll('\n', '\n# ')],
  );
  return [
    ...referring,
    ...reported,
    ...deletionsFirst(preview).flatMap(({ action, resource }) => ofAction(action, resource)),
  ];
}

function ofAction(action: Action, resource: Omit<PlannedResource, 'actions'>): readonly Line[] {
  const namespace = namespaceOf(resource, action.child);
  const effect = effectText(action);
  const title = `# ${action.verb} ${titleOf({ ...action.child, namespace })}, of ${titleOf(resource)}`;
  const lines = diffOf(action, namespace);
  const hasHunk = lines.some(({ sign }) => sign !== ' ');
  return [
    effect === '' ? title : `${title}: ${effect}`,
    ...(hasHunk && action.reason === undefined
      ? writersOf(action)
      : changeOf(action).map((line) => `# ${line}`)),
    ...(hasHunk ? hunk(lines, nameOf(action, namespace)) : []),
  ];
}

const writersOf = ({ differences }: Action): readonly string[] =>
  differences.flatMap(({ path, writer }) =>
    writer === undefined ? [] : [`# ${path} changed by ${writer.manager}${timeOf(writer)}`],
  );

/** Names an object as `kubectl diff` names its files: `apps.v1.Deployment.default.shop`. */
const nameOf = ({ child }: Action, namespace: string): string =>
  [child.apiVersion.replace('/', '.'), child.kind, namespace, child.name]
    .filter((part) => part !== '')
    .join('.');

function diffOf(action: Action, namespace: string): readonly DiffLine[] {
  const { verb, child, differences, requests } = action;
  if (requests.length === 0) return [];
  const identity = {
    apiVersion: child.apiVersion,
    kind: child.kind,
    'metadata.name': child.name,
    ...(namespace === '' ? {} : { 'metadata.namespace': namespace }),
  };
  const around = verb === 'create' ? '+' : verb === 'delete' ? '-' : ' ';
  const known = Object.entries(identity).map(([path, value]) => ({ path, from: value, to: value }));
  const changes = differences.filter((one) => around === '+' || !isOwnershipOnly(one));
  return yamlDiff([...known, ...changes], around);
}

const colours = { '-': 'red', '+': 'green' } as const;

/** Formats a hunk as `diff -u` does, so that programs can parse the output. */
function hunk(lines: readonly DiffLine[], name: string): readonly Line[] {
  const countOf = (other: DiffLine['sign']): number =>
    lines.filter(({ sign }) => sign !== other).length;
  const range = (count: number): string => (count === 0 ? '0,0' : `1,${count}`);
  return [
    `diff -u -N LIVE/${name} MERGED/${name}`,
    paint('bold', `--- LIVE/${name}`),
    paint('bold', `+++ MERGED/${name}`),
    paint('cyan', `@@ -${range(countOf('+'))} +${range(countOf('-'))} @@`),
    ...lines.map(({ sign, text }) =>
      sign === ' ' ? ` ${text}` : paint(colours[sign], `${sign}${text}`),
    ),
  ];
}
