import { isReconcilerConfig, type ReconcilerConfig } from '../shared/config/define-config.ts';
import { hasName, isKind, type Kind } from '../shared/kinds/kind.ts';
import { groupResource } from '../shared/kubernetes.ts';
import { requireThat } from './arguments.ts';

export function configOf(
  target: Kind | ReconcilerConfig,
): ReconcilerConfig | { readonly kinds: Kind[] } {
  if (isReconcilerConfig(target)) return target;
  const is = isKind(target);
  requireThat(is, ['the first argument', target], 'a kind, or the result of defineConfig');
  return { kinds: [target] };
}

export function kindOf(kinds: readonly Kind[], named: string | Kind | undefined): Kind {
  const word = typeof named === 'object' ? groupResource(named) : named;
  const isMeant = (kind: Kind): boolean =>
    word === undefined || (typeof word === 'string' && hasName(kind, word));
  const [kind, ...others] = kinds.filter(isMeant);
  if (kind !== undefined && others.length === 0) return kind;
  const known = kinds.map((one) => one.kind).join(', ');
  throw new Error(`option kind must name one of ${known}`);
}
