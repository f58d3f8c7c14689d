import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActionResult } from '../../views.ts';
import { postJson } from '../state/store.ts';

interface Props {
  readonly title: string;
  readonly button: string;
  /** The POST of the button; undefined to show no button. */
  readonly request: { readonly path: string; readonly body: unknown } | undefined;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

type State =
  | { readonly is: 'asking' | 'working' }
  | { readonly is: 'done'; readonly done: ActionResult }
  | { readonly is: 'failed'; readonly message: string };

export function ConfirmDialog({ title, button, request, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [state, setState] = useState<State>({ is: 'asking' });
  useEffect(() => dialog.current?.showModal(), []);
  // Moves the focus to a button, because the pressed button is gone, and with it the focus.
  useEffect(() => {
    if (state.is !== 'asking') dialog.current?.querySelector('button')?.focus();
  }, [state.is]);
  const act = (path: string, body: unknown): void => {
    setState({ is: 'working' });
    postJson<ActionResult>(path, body).then(
      (done) => setState({ is: 'done', done }),
      ({ message }: Error) => setState({ is: 'failed', message }),
    );
  };
  const isAsking = state.is === 'asking';
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onClose}>
      <h2 id="confirm-title">{title}</h2>
      {isAsking ? children : <Outcome {...state} />}
      <div class="buttons">
        {isAsking && request !== undefined ? (
          <button type="button" class="primary" onClick={() => act(request.path, request.body)}>
            {button}
          </button>
        ) : null}
        <button type="button" onClick={() => dialog.current?.close()}>
          {isAsking ? 'Cancel' : 'Close'}
        </button>
      </div>
    </dialog>
  );
}

function Outcome(state: State) {
  switch (state.is) {
    case 'failed':
      return <ProblemText message={state.message} />;
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
    default:
      return <p role="status">Working…</p>;
  }
}

export const ProblemText = ({ message }: { readonly message: string }) => (
  <p role="alert" class="notice bad">
    {message}
  </p>
);
