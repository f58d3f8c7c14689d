import { useEffect, useRef, useState } from 'preact/hooks';
import type { Done, PlanView, ResourceView } from '../views.ts';
import { PlanPreview } from './plan-preview.tsx';
import { titleOf } from './states.ts';
import { ask } from './store.ts';

export type Action = 'apply' | 'resync' | 'suspend' | 'resume';

interface Props {
  readonly action: Action;
  readonly resource: ResourceView;
  readonly readOnly: boolean;
  readonly onClose: () => void;
}

const texts: Readonly<Record<Action, { title: string; what: string; button: string }>> = {
  apply: {
    title: 'Plan',
    what: 'Exactly this is applied, unless something changes first; then nothing is written.',
    button: 'Apply this plan',
  },
  resync: {
    title: 'Resync',
    what: 'A run as the scheduled function makes it, for this resource: it does what this plan says, plans again after a conflict, and waits until the children are ready.',
    button: 'Resync',
  },
  suspend: {
    title: 'Suspend',
    what: 'The annotation serverless-reconciler/suspend is set. From then on no run writes the resource or its children, whatever happens to them, until it is resumed.',
    button: 'Suspend',
  },
  resume: {
    title: 'Resume',
    what: 'The annotation serverless-reconciler/suspend is removed. The next run restores what is not in sync.',
    button: 'Resume',
  },
};

type State =
  | { readonly is: 'ready'; readonly plan?: PlanView }
  | { readonly is: 'planning' | 'working' }
  | { readonly is: 'done'; readonly done: Done }
  | { readonly is: 'failed'; readonly message: string };

const scopeOf = ({ resource: kind, namespace, name }: ResourceView) =>
  namespace === '' ? { kind, name } : { kind, namespace, name };

export function Confirm({ action, resource, readOnly, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPlanned = action === 'apply' || action === 'resync';
  const [state, setState] = useState<State>({ is: isPlanned ? 'planning' : 'ready' });
  const failed = ({ message }: Error): void => setState({ is: 'failed', message });
  useEffect(() => {
    dialog.current?.showModal();
    if (isPlanned)
      ask<PlanView>('/plan', { scope: scopeOf(resource) }).then(
        (plan) => setState({ is: 'ready', plan }),
        failed,
      );
  }, []);
  const { title, what, button } = texts[action];
  const plan = state.is === 'ready' ? state.plan : undefined;
  const act = (): void => {
    setState({ is: 'working' });
    const body = { apply: { id: plan?.id }, resync: { scope: scopeOf(resource) } };
    const given = action === 'apply' || action === 'resync' ? body[action] : { id: resource.id };
    ask<Done>(`/${action}`, given).then((done) => setState({ is: 'done', done }), failed);
  };
  const isRefused = readOnly || (action === 'apply' && plan?.preview.resources.length === 0);
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onClose}>
      <h2 id="confirm-title">
        {title} {resource.kind} {titleOf(resource)}
      </h2>
      <Body {...{ state, resource, what, action }} />
      <div class="buttons">
        {state.is === 'ready' && !isRefused ? (
          <button type="button" class="primary" onClick={act}>
            {button}
          </button>
        ) : null}
        <button type="button" onClick={() => dialog.current?.close()}>
          {state.is === 'ready' || state.is === 'planning' ? 'Cancel' : 'Close'}
        </button>
      </div>
    </dialog>
  );
}

interface BodyProps extends Pick<Props, 'action' | 'resource'> {
  readonly state: State;
  readonly what: string;
}

function Body({ state, what, action, resource }: BodyProps) {
  switch (state.is) {
    case 'planning':
      return <p role="status">Planning…</p>;
    case 'working':
      return <p role="status">Working…</p>;
    case 'failed':
      return (
        <p role="alert" class="notice bad">
          {state.message}
        </p>
      );
    case 'done':
      return (
        <div role="status">
          <p>{state.done.text}.</p>
          {state.done.problems.map((problem) => (
            <p key={problem} class="notice warn">
              {problem}
            </p>
          ))}
        </div>
      );
    case 'ready':
      return (
        <>
          <p>{what}</p>
          {state.plan === undefined ? <Meanwhile {...{ action, resource }} /> : null}
          {state.plan === undefined ? null : <PlanPreview {...state.plan} />}
        </>
      );
  }
}

/** What resuming will restore, or suspending leave as it is. */
function Meanwhile({ action, resource }: Pick<Props, 'action' | 'resource'>) {
  const off = resource.children.filter(({ sync }) => sync.state !== 'InSync');
  if (off.length === 0) return <p>All its children are in sync now.</p>;
  return (
    <>
      <p>{action === 'resume' ? 'To be restored:' : 'Not in sync, and staying so:'}</p>
      <ul>
        {off.map(({ child, sync }) => (
          <li key={`${child.kind} ${child.name}`}>
            <b>
              {child.kind} {child.name}
            </b>{' '}
            {sync.message}
          </li>
        ))}
      </ul>
    </>
  );
}
