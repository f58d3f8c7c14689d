import { ageOf } from '../state/states.ts';
import type { Known } from '../state/store.ts';

export function Notices({ known, now }: { readonly known: Known; readonly now: number }) {
  const { lost, unread, read } = known;
  const since =
    read === undefined ? '' : ` This page shows the state from ${ageOf(read.at, now)} ago.`;
  return (
    <div role="status" class="notices">
      {lost === undefined ? null : (
        <p class="notice bad">
          <strong>The dashboard is not responding.</strong> Its process has stopped, or the machine
          is asleep; the page reconnects by itself.{since}
        </p>
      )}
      {lost !== undefined || unread === undefined ? null : (
        <p class="notice bad">
          <strong>The cluster cannot be read.</strong> {unread}
          {unread.endsWith('?') ? '' : '.'}
          {since} The dashboard tries again by itself.
        </p>
      )}
      {read?.failures.map((failure) => (
        <p key={failure} class="notice warn">
          {failure}
        </p>
      ))}
    </div>
  );
}
