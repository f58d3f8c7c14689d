import { useState } from 'preact/hooks';
import type { ResourceView } from '../../views.ts';
import { Confirm, type ConfirmedAction } from './confirm.tsx';

interface Props {
  readonly resource: ResourceView;
  readonly readOnly: boolean;
}

/** Buttons that open a dialog. Nothing is written until the user confirms the dialog. */
export function Actions({ resource, readOnly }: Props) {
  const [action, setAction] = useState<ConfirmedAction>();
  const { suspended, deleting } = resource;
  const changing: readonly (readonly [ConfirmedAction, string])[] = [
    ['resync', 'Resync'],
    suspended ? ['resume', 'Resume'] : ['suspend', 'Suspend'],
  ];
  const first =
    resource.rollout?.reason === 'Waiting' && !resource.first
      ? [['first', 'Roll out first'] as const]
      : [];
  const plan = ['apply', readOnly ? 'Plan' : 'Plan and apply'] as const;
  const buttons = readOnly ? [plan] : [plan, ...changing, ...first];
  return (
    <div class="actions">
      {buttons.map(([name, label]) => (
        // The same element for Suspend and Resume, so that the focus can return to it.
        <button
          key={name === 'resume' ? 'suspend' : name}
          type="button"
          disabled={deleting}
          onClick={() => setAction(name)}
        >
          {label}
        </button>
      ))}
      {readOnly ? <span class="quiet">started with --read-only</span> : null}
      {action === undefined ? null : (
        <Confirm
          action={action}
          resource={resource}
          readOnly={readOnly}
          onClose={() => setAction(undefined)}
        />
      )}
    </div>
  );
}
