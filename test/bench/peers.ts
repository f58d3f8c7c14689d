export const measurePeers = async (..._: unknown[]): Promise<void> => {};
