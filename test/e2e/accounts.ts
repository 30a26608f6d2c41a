/** A person with an account. */
export const ADA = { email: "ada@example.com", password: "correct horse battery" };

/** What a request with a JSON body sends and a token. */
export const asUser = (token: string) => ({
  Authorization: `Bearer ${token}`,
  "Content-Type": "application/json",
});
