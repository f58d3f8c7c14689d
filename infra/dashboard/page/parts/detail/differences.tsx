import type { Difference } from '../../../../../shared/plan/drift/differences.ts';
import { ageOf } from '../../state/states.ts';

interface Props {
  readonly differences: readonly Difference[];
  readonly now: number;
}

export const shownValue = (value: unknown): string =>
  value === undefined ? '(none)' : JSON.stringify(value);

export const Differences = ({ differences, now }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
  <section class="scrolls" aria-label="Differences" tabIndex={0}>
    <table class="differences">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Live</th>
          <th scope="col">Desired</th>
          <th scope="col">Changed by</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ path, from, to, writer }) => (
          <tr key={path}>
            <th scope="row">{path}</th>
            <td class="is">{shownValue(from)}</td>
            <td class="desired">{shownValue(to)}</td>
            <td>
              {writer?.manager ?? 'not recorded'}
              {writer?.time === undefined ? '' : `, ${ageOf(writer.time, now)} ago`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
