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

export const isAdministrator = ({ groups }: User): boolean => groups.includes('system:masters');
