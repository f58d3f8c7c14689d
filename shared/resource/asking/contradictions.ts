import { KubeError } from '../../cluster/cluster-errors.ts';
import { filledBeside } from '../../plan/drift/beside.ts';
import { tangleOf } from '../../plan/drift/untangle.ts';
import {
  appliedAfter,
  applyDry,
  type DryRunAnswer,
  fieldsOf,
  type Inquiry,
  isRefusal,
  patchDry,
  readAsked,
} from './inquiry.ts';

/**
 * Takes out what other managers have set beside an empty text of ours and contradicts it, such as `valueFrom` beside
 * `value: ''`. The server drops the empty text, so it refuses neither.
 *
 * Flow: a dry run applies the fields with a text in these places; what the refusal names and others hold there is taken
 * out by a patch, which is tried by dry run.
 * Guarantees: asks nothing unless others hold something beside an empty text that the server has dropped.
 * Caveats: a type that exposes paths is left alone, because taking something out could open a path.
 */
export async function withoutContradictions(
  inquiry: Inquiry,
  answer: DryRunAnswer,
): Promise<DryRunAnswer> {
  const { ours } = answer.after ?? {};
  const isDecided = answer.untangles !== undefined || answer.refusal !== undefined;
  if (isDecided || inquiry.question.ref.type.exposure !== undefined) return answer;
  const filled = filledBeside(inquiry.sent, { ours });
  if (filled === undefined) return answer;
  const refusal = await applyDry({ ...inquiry, sent: filled }).catch((error: unknown) => error);
  if (!isRefusal(refusal)) return answer;
  const tangle = tangleOf(await readAsked(inquiry), inquiry.sent, inquiry.world.identity);
  const isBeside = (name: unknown): boolean =>
    ours?.beside?.some((path) => path.endsWith(`.${name}`)) === true;
  const places = fieldsOf(refusal)
    .map(tangle.placeOf)
    .filter((place) => isBeside(place.at(-1)));
  const operations = tangle.without(places);
  const patched = operations && (await patchDry(inquiry, operations));
  return operations === undefined || patched === undefined || patched instanceof KubeError
    ? answer
    : { after: appliedAfter(inquiry, patched), untangles: operations };
}
