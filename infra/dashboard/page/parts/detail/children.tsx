import type { ChildSync } from '../../../../actions/sync-state.ts';
import { because } from '../../../../origin-text.ts';
import { healthOf } from '../../../health-words.ts';
import type { DetailView, ResourceView } from '../../../views.ts';
import { byNamespace } from '../../state/children.ts';
import { ageOf } from '../../state/states.ts';
import { Badge } from '../badge.tsx';
import { Differences } from './differences.tsx';
import { ManifestPanel } from './manifest.tsx';
import { Pods } from './pods.tsx';

interface Props {
  readonly resource: ResourceView;
  readonly detail: DetailView | undefined;
  readonly now: number;
}

export function Children({ resource, detail, now }: Props) {
  const groups = byNamespace(resource.children);
  const hasNamespaces = groups.some(({ namespace }) => namespace !== undefined);
  const created = new Map(detail?.createdChildren.map((one) => [keyOf(one), one.created]));
  return (
    <>
      <h3>Children</h3>
      {groups.length === 0 ? <p class="none">No children.</p> : null}
      {groups.map(({ namespace, children }) => (
        <section key={namespace} aria-label={namespace ?? 'Children'}>
          {hasNamespaces ? <h4>{namespace ?? 'Cluster-scoped'}</h4> : null}
          <ul class="tree">
            {children.map((one) => (
              <Child
                key={keyOf(one.child)}
                resource={resource}
                one={one}
                now={now}
                created={created.get(keyOf(one.child))}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

const keyOf = ({ apiVersion, kind, namespace, name }: ChildSync['child']): string =>
  `${apiVersion}/${kind}/${namespace === undefined ? '' : `${namespace}/`}${name}`;

interface ChildProps extends Pick<Props, 'resource' | 'now'> {
  readonly one: ChildSync;
  readonly created: string | undefined;
}

function Child({ resource, one, created, now }: ChildProps) {
  const { child, sync, health, changed, differences, origin } = one;
  const message = sync.message ?? health.message;
  const exists = health.state !== 'Absent';
  const panel = { resource, child: keyOf(child), of: `${child.kind} ${child.name}` };
  return (
    <li>
      <div class="child">
        <span class="title">
          <span class="kind">{child.kind}</span> <b>{child.name}</b>
        </span>
        <Badge state={sync.state} />
        <span class="facts">
          {healthOf(one)}
          {origin === undefined ? '' : ` · to be changed, ${because(origin)}`}
          {created === undefined ? '' : ` · ${ageOf(created, now)} old`}
          {changed === undefined
            ? ''
            : ` · changed ${ageOf(changed.time, now)} ago by ${changed.manager}`}
        </span>
      </div>
      {differences.length > 0 ? <Differences differences={differences} now={now} /> : null}
      {differences.length > 0 || message === undefined ? null : <p class="text">{message}</p>}
      {exists && health.state !== 'Current' ? <Pods {...panel} now={now} /> : null}
      {exists || sync.state === 'Foreign' ? <ManifestPanel {...panel} /> : null}
    </li>
  );
}
