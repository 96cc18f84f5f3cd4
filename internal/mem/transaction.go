package mem

import (
	"context"
	"slices"
)

// Transactor is a [Store] that can write what several calls of Apply get in one transaction.
type Transactor interface {
	// Begin begins a transaction. With a context of [Transaction.In] Apply writes into it, and all other methods see what
	// it has written. Others see that, and it survives the end of the process, once [Transaction.Commit] has returned
	// without error. After an error of Apply nothing of the transaction is written. Others who write wait until it has
	// ended, so it must be short. Only one goroutine may use it.
	Begin(ctx context.Context) (*Transaction, error)
}

// Transaction is several batches that are written together, see [Transactor]. The zero value has none.
type Transaction struct {
	commit func() error
	wanted []func() bool
	after  []func(error)
	ended  bool
}

// NewTransaction returns a transaction. commit ends it; wanted reports whether others wait.
func NewTransaction(commit func() error, wanted func() bool) *Transaction {
	return &Transaction{commit: commit, wanted: []func() bool{wanted}}
}

type transactionKey struct{}

// In returns a context that belongs to the transaction.
func (t *Transaction) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, transactionKey{}, t)
}

// TransactionOf returns the transaction that a context belongs to; nil if there is none, or it has ended.
func TransactionOf(ctx context.Context) *Transaction {
	if t, ok := ctx.Value(transactionKey{}).(*Transaction); ok && !t.ended {
		return t
	}
	return nil
}

// Wanted reports whether others wait until the transaction has ended.
func (t *Transaction) Wanted() bool {
	return slices.ContainsFunc(t.wanted, func(wanted func() bool) bool { return wanted() })
}

// WantedBy adds others: f reports whether they wait.
func (t *Transaction) WantedBy(f func() bool) { t.wanted = append(t.wanted, f) }

// After has f called with the error of Commit once the transaction has ended.
func (t *Transaction) After(f func(error)) { t.after = append(t.after, f) }

// Commit ends the transaction. It does nothing for nil, and for a transaction that has ended.
func (t *Transaction) Commit() (err error) {
	if t == nil || t.ended {
		return nil
	}
	if t.commit != nil {
		err = t.commit()
	}
	t.ended = true
	for _, f := range t.after {
		f(err)
	}
	return err
}
