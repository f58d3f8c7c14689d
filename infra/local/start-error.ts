/** Something a person can put right before starting again; shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export const takenPort = (port: number, option: string): StartError =>
  new StartError(
    `port ${port} is taken: stop what listens there, or choose another with ${option}`,
  );
