import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { usePosted } from '../../state/response.ts';
import { ProblemText } from '../dialog.tsx';

interface Props<T> {
  readonly title: string;
  /** For screen readers. */
  readonly of: string;
  readonly path: string;
  readonly body: object;
  /** The content is read again when this value changes. */
  readonly since: unknown;
  readonly children: (response: T) => ComponentChildren;
}

/** A section that reads its content only while it is open. */
export function Panel<T>(props: Props<T>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="panel" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {props.title}
        <span class="hidden"> of {props.of}</span>
      </summary>
      {isOpen ? <Content {...props} /> : null}
    </details>
  );
}

function Content<T>({ of, path, body, since, children }: Props<T>) {
  const { response, problem, again } = usePosted<T>(path, body, since);
  return (
    <div class="content">
      <button type="button" onClick={again}>
        Read again<span class="hidden">: {of}</span>
      </button>
      {response === undefined && problem === undefined ? <p role="status">Reading…</p> : null}
      {problem === undefined ? null : <ProblemText message={problem} />}
      {response === undefined ? null : children(response)}
    </div>
  );
}
