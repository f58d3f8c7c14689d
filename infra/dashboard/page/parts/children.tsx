import type { ChildSync } from '../../../actions/sync-state.ts';
import { because } from '../../../origin-text.ts';
import type { DetailView, ResourceView } from '../../views.ts';
import { ageOf } from '../state/states.ts';
import { Badge } from './badge.tsx';
import { Differences } from './differences.tsx';

interface Props {
  readonly resource: ResourceView;
  readonly detail: DetailView | undefined;
  readonly now: number;
}

export function Children({ resource, detail, now }: Props) {
  const { children } = resource;
  return (
    <>
      <h3>Children</h3>
      {children.length === 0 ? <p class="none">None are known.</p> : null}
      <ul class="tree">
        {children.map((one) => (
          <Child
            key={keyOf(one.child)}
            {...{ one, now }}
            created={
              detail?.createdChildren.find((other) => keyOf(other) === keyOf(one.child))?.created
            }
          />
        ))}
      </ul>
    </>
  );
}

const keyOf = ({ apiVersion, kind, namespace, name }: ChildSync['child']): string =>
  [apiVersion, kind, namespace, name].join('/');

const healthWords = {
  Current: 'ready',
  InProgress: 'not ready',
  Failed: 'failed',
  Deleting: 'being deleted',
  Absent: 'absent',
} as const;

interface ChildProps {
  readonly one: ChildSync;
  readonly created: string | undefined;
  readonly now: number;
}

function Child({ one, created, now }: ChildProps) {
  const { child, sync, health, changed, differences, origin } = one;
  const message = sync.message ?? health.message;
  return (
    <li>
      <div class="child">
        <span class="title">
          <span class="kind">{child.kind}</span>{' '}
          <b>
            {child.namespace === undefined ? '' : `${child.namespace}/`}
            {child.name}
          </b>
        </span>
        <Badge state={sync.state} />
        <span class="facts">
          {healthWords[health.state]}
          {origin === undefined ? '' : ` · to be changed, ${because(origin)}`}
          {created === undefined ? '' : ` · ${ageOf(created, now)} old`}
          {changed === undefined
            ? ''
            : ` · changed ${ageOf(changed.time, now)} ago by ${changed.manager}`}
        </span>
      </div>
      {differences.length > 0 ? <Differences {...{ differences, now }} /> : null}
      {differences.length > 0 || message === undefined ? null : <p class="text">{message}</p>}
    </li>
  );
}
