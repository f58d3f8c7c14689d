import type { ManifestLine, ManifestView, ResourceView } from '../../../views.ts';
import { Panel } from './panel.tsx';

interface Props {
  readonly resource: ResourceView;
  /** The key of a child; undefined for the resource itself. */
  readonly child?: string;
  readonly of: string;
}

export const ManifestPanel = ({ resource, child, of }: Props) => (
  <Panel<ManifestView>
    title="Manifest"
    path="/manifest"
    body={{ id: resource.id, child }}
    since={resource}
    of={of}
  >
    {({ lines, isCut }) => (
      <>
        <p class="legend">
          The reconciler manages the <mark>marked</mark> fields. Values of Secrets are masked.
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <section class="scrolls code" aria-label={`Manifest of ${of}`} tabIndex={0}>
          <pre>
            {blocksOf(lines).map(({ text, ours }, at) =>
              ours ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>,
            )}
          </pre>
        </section>
        {isCut ? <p class="notice warn">The rest is omitted: use kubectl get -o yaml.</p> : null}
      </>
    )}
  </Panel>
);

/** Joins consecutive lines of the same owner. */
function blocksOf(lines: readonly ManifestLine[]): readonly ManifestLine[] {
  const blocks: ManifestLine[] = [];
  for (const { text, ours } of lines) {
    const last = blocks.at(-1);
    if (last?.ours === ours) blocks[blocks.length - 1] = { text: `${last.text}\n${text}`, ours };
    else blocks.push({ text, ours });
  }
  return blocks;
}
