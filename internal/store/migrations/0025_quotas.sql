-- What a user may use, where that is not what the role may; NULL: the role's quota holds.
ALTER TABLE users ADD COLUMN quota TEXT;
