/**
 * To be awaited between the steps of a long request. The runtime of a self-hosted copy looks at its sockets only when
 * nothing else is to be done, and its database never leaves that to be: without a pause no other request is answered
 * until the last step.
 */
export const breathe = (): Promise<void> => scheduler.wait(0);
