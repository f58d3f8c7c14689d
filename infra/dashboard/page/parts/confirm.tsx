import { useEffect, useState } from 'preact/hooks';
import type { PlanView, ResourceView } from '../../views.ts';
import { qualifiedNameOf } from '../state/states.ts';
import { postJson } from '../state/store.ts';
import { ConfirmDialog, ProblemText } from './dialog.tsx';
import { PlanPreview } from './plan-preview.tsx';

export type ConfirmedAction = 'apply' | 'resync' | 'suspend' | 'resume' | 'first';

interface Props {
  readonly action: ConfirmedAction;
  readonly resource: ResourceView;
  readonly readOnly: boolean;
  readonly onClose: () => void;
}

const wording: Readonly<Record<ConfirmedAction, { title: string; what: string; button: string }>> =
  {
    apply: {
      title: 'Plan',
      what: 'Applies exactly this plan. Writes nothing if an object has changed in the meantime.',
      button: 'Apply this plan',
    },
    resync: {
      title: 'Resync',
      what: 'Reconciles this resource as the scheduled function does: makes a new plan, applies it, plans again after a conflict, and waits until the children are ready, at most SETTLE_SECONDS.',
      button: 'Resync',
    },
    suspend: {
      title: 'Suspend',
      what: 'Sets the annotation serverless-reconciler/suspend. Until you resume the resource, runs only write its status, with the condition Suspended.',
      button: 'Suspend',
    },
    resume: {
      title: 'Resume',
      what: 'Removes the annotation serverless-reconciler/suspend. The next run reconciles the resource again.',
      button: 'Resume',
    },
    first: {
      title: 'Roll out first:',
      what: 'Sets the annotation serverless-reconciler/rollout-first. Until the annotation is removed, rollouts of the kind change this resource before all other resources of its namespace. Like every resource, it is changed only when it is Ready and a slot is free.',
      button: 'Roll out first',
    },
  };

const requestFor = ({ resource: kind, namespace, name }: ResourceView) =>
  namespace === '' ? { kind, name } : { kind, namespace, name };

export function Confirm({ action, resource, readOnly, onClose }: Props) {
  const isPlanned = action === 'apply' || action === 'resync';
  const { plan, problem } = usePlan(isPlanned ? resource : undefined);
  const { title, what, button } = wording[action];
  const isNothing = plan?.preview.requests.toPerform === 0;
  const isReady = !isPlanned || plan !== undefined;
  const body = { apply: { id: plan?.id }, resync: { request: requestFor(resource) } };
  const request = {
    path: action === 'first' ? '/rollout/first' : `/${action}`,
    body: action === 'apply' || action === 'resync' ? body[action] : { id: resource.id },
  };
  return (
    <ConfirmDialog
      title={`${title} ${resource.kind} ${qualifiedNameOf(resource)}`}
      button={button}
      request={isReady && !isNothing && !readOnly ? request : undefined}
      onClose={onClose}
    >
      {problem === undefined ? null : <ProblemText message={problem} />}
      {isReady && !isNothing ? <p>{what}</p> : null}
      {isReady || problem !== undefined ? null : <p role="status">Planning…</p>}
      {action === 'suspend' || action === 'resume' ? (
        <Meanwhile action={action} resource={resource} />
      ) : null}
      {plan === undefined ? null : <PlanPreview {...plan} />}
    </ConfirmDialog>
  );
}

interface Planned {
  readonly plan?: PlanView;
  readonly problem?: string;
}

function usePlan(resource: ResourceView | undefined): Planned {
  const [planned, setPlanned] = useState<Planned>({});
  useEffect(() => {
    if (resource === undefined) return;
    postJson<PlanView>('/plan', { request: requestFor(resource) }).then(
      (plan) => setPlanned({ plan }),
      ({ message }: Error) => setPlanned({ problem: message }),
    );
  }, []);
  return planned;
}

/** Lists the children that are not in sync. A suspension leaves them as they are. */
function Meanwhile({ action, resource }: Pick<Props, 'action' | 'resource'>) {
  const off = resource.children.filter(({ sync }) => sync.state !== 'InSync');
  if (off.length === 0) return <p>All children are in sync now.</p>;
  return (
    <>
      <p>{action === 'resume' ? 'Not in sync:' : 'Not in sync, and left as they are:'}</p>
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
