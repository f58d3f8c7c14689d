/** The users that cases name, besides the administrator. */
export const users = ['alice', 'bob'] as const;
