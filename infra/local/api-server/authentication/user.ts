/** Who asks. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

/** Whoever comes without a token: the local administrator, whom nothing is forbidden. */
export const administrator: User = {
  username: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};

export function isAdministrator({ groups }: User): boolean {
  return groups.includes('system:masters');
}
